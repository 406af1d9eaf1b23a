// Showing what went wrong.

import { el } from './dom.mjs';
import { Refusal } from './api.mjs';

/** faultBox shows an error: the API's with its code, message and the rule or column it speaks of. */
export function faultBox(error) {
  if (!(error instanceof Refusal)) return el('div', { class: 'fault', role: 'alert' }, el('p', {}, error.message));
  return el(
    'div',
    { class: 'fault', role: 'alert' },
    el('p', {}, error.message),
    el(
      'dl',
      {},
      fact('Status', String(error.status)),
      error.code ? fact('Code', error.code) : null,
      error.trace ? fact('Where', error.trace) : null,
      error.retryAfter ? fact('Try again after', `${error.retryAfter} seconds`) : null
    )
  );
}

/** orFault waits for a node; what stands in its place when it fails is the fault, or nothing when nobody waits any more. */
export async function orFault(node, signal) {
  try {
    return await node;
  } catch (error) {
    return signal.aborted ? null : faultBox(error);
  }
}

const fact = (name, value) => el('div', {}, el('dt', {}, name), el('dd', {}, el('code', {}, value)));
