// Who is signed in: a bearer token, kept in memory and in the tab's own storage, never in an address.

const KEY = 'almoner.token';

let token = sessionStorage.getItem(KEY);

export const bearer = () => token;

export function keep(value) {
  token = value;
  sessionStorage.setItem(KEY, value);
}

const atEnd = [];

/** whenOver registers what has to happen when a session ends: it is called with the reason people are told, if there is one. */
export function whenOver(act) {
  atEnd.push(act);
}

/** end forgets the token and lets everybody forget what was read with it. */
export function end(reason = '') {
  token = null;
  sessionStorage.removeItem(KEY);
  for (const act of atEnd) act(reason);
}

/** exchange gets a token for a client's id and secret; the error it throws says why there is none. */
export async function exchange(id, secret) {
  const answer = await fetch('/oauth2/v2.0/token', {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    cache: 'no-store',
    credentials: 'omit',
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(body.error_description ?? `The token endpoint answered ${answer.status}.`);
  return body.access_token;
}
