// The page on the service itself: what it is, how it is, what remains of the limits, and whether change tracking keeps up.

import { allowed, get, left } from './api.mjs';
import { textOf } from './cell.mjs';
import { el, show } from './dom.mjs';
import { whoAmI } from './metadata.mjs';
import { toRow } from './route.mjs';
import { heldBack, inTime, tooLong } from './watermark.mjs';

const PATIENCE = 60_000; // milliseconds until the console stops waiting for the watermark

export async function servicePage(_, signal) {
  const [version, organization, alive, ready, me] = await Promise.all([
    get('RetrieveVersion()', { signal }),
    get("RetrieveCurrentOrganization(AccessType=Microsoft.Dynamics.CRM.EndpointAccessType'Default')", { signal }),
    door('/healthz', signal),
    door('/readyz', signal),
    user(signal),
  ]);
  const tracking = el('p', { 'aria-live': 'polite' }, 'Asking how far changes can be pulled …');
  watch(tracking, signal);
  return {
    title: 'Service',
    note: organization.Detail.FriendlyName,
    nodes: [
      el(
        'dl',
        { class: 'facts' },
        fact('Signed in as', me),
        fact('Web API version', version.Version),
        fact('Process', alive),
        fact('Store and schema', ready),
        fact('Limits', limits())
      ),
      el('section', {}, el('h2', {}, 'Change tracking'), tracking),
      el('p', {}, el('button', { type: 'button', onclick: () => dispatchEvent(new HashChangeEvent('hashchange')) }, 'Ask again')),
    ],
  };
}

const fact = (name, value) => el('div', {}, el('dt', {}, name), el('dd', {}, value));

/** door says what a door outside the API answers. */
async function door(path, signal) {
  const answer = await fetch(path, { signal, cache: 'no-store', credentials: 'omit' });
  const text = (await answer.text()).trim();
  return el('span', { class: answer.ok ? 'good' : 'bad' }, text);
}

async function user(signal) {
  const { UserId } = await whoAmI();
  const row = await allowed(`systemusers(${UserId})?$select=fullname`, { signal });
  return row ? el('a', { href: toRow('systemuser', UserId) }, textOf(row, 'fullname') ?? UserId) : el('code', {}, UserId);
}

function limits() {
  if (left.requests === null) return 'The service sets none.';
  return `${Number(left.requests).toLocaleString('en')} requests and ${left.seconds} seconds of work remain in the current window.`;
}

/** watch asks for the watermark of deltas. The service answers when no write is under way, so the wait is how far it is held back. */
async function watch(line, signal) {
  const began = Date.now();
  const waited = () => Date.now() - began;
  const clock = setInterval(() => show(line, heldBack(waited())), 2000);
  try {
    const { Timestamp } = await get('RetrieveTimestamp()', { signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) });
    show(line, inTime(Timestamp, waited()));
  } catch (error) {
    show(line, error.name === 'TimeoutError' ? tooLong(waited()) : error.message);
  } finally {
    clearInterval(clock);
  }
}
