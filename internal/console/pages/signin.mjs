// The page before all others.

import { Refusal, get } from './api.mjs';
import { el, show } from './dom.mjs';
import { exchange, keep } from './session.mjs';

/** signInPage calls done once the service has taken a token. */
export function signInPage(reason, done) {
  const trouble = el('p', { class: 'notice', role: 'alert', hidden: !reason }, reason);
  const fail = (error) => {
    trouble.hidden = false;
    show(trouble, error.message);
  };
  const enter = (gettingToken) => async (event) => {
    event.preventDefault();
    try {
      keep(await gettingToken());
      await get('WhoAmI()');
      done();
    } catch (error) {
      if (!(error instanceof Refusal && error.status === 401)) fail(error);
    }
  };
  const id = el('input', { id: 'client', type: 'text', required: true, autocomplete: 'username', spellcheck: 'false' });
  const secret = el('input', { id: 'secret', type: 'password', required: true, autocomplete: 'current-password' });
  const token = el('textarea', { id: 'token', rows: '4', required: true, autocomplete: 'off', spellcheck: 'false' });
  return el(
    'div',
    { class: 'signin' },
    el('h1', { tabindex: '-1' }, 'Sign in'),
    trouble,
    el(
      'form',
      { onsubmit: enter(() => exchange(id.value.trim(), secret.value)) },
      el('label', { for: 'client' }, 'Client id'),
      id,
      el('label', { for: 'secret' }, 'Client secret'),
      secret,
      el('button', { type: 'submit' }, 'Sign in')
    ),
    el(
      'details',
      {},
      el('summary', {}, 'Use a token instead'),
      el(
        'form',
        { onsubmit: enter(async () => token.value.trim()) },
        el('label', { for: 'token' }, 'Bearer token'),
        token,
        el('button', { type: 'submit' }, 'Use it')
      )
    ),
    el('p', { class: 'hint' }, 'You see what your application may read, and change nothing. The token stays in this tab.')
  );
}
