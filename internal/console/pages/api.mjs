// Asking the Web API. The console only reads: there is nothing here but GET.

import { bearer, end } from './session.mjs';

export const ROOT = '/api/data/v9.2/';

/** Refusal is an error of the API, as it was answered. */
export class Refusal extends Error {
  constructor(status, { code, message, innererror } = {}, retryAfter = null) {
    super(message ?? `The service answered ${status}.`);
    this.status = status;
    this.code = code ?? '';
    this.trace = innererror?.trace ?? '';
    this.retryAfter = retryAfter;
  }
}

/** left is what the last answer said remains of the caller's protection limits; null where the service sets none. */
export const left = { requests: null, seconds: null };

/**
 * resolve makes a path of what somebody wrote or a link says: relative to the API, or a whole address of it. The token is for this
 * service alone, so every other address is an error.
 */
export function resolve(text, origin) {
  const url = new URL(text, origin + ROOT);
  if (url.origin !== origin || !url.pathname.startsWith('/api/data/'))
    throw new Error('The console asks only the Web API of this service.');
  return url.pathname + url.search;
}

/** preferring is the Prefer header of a page of rows with the formatted values and link targets of its columns. */
export function preferring(pageSize) {
  return { Prefer: `odata.maxpagesize=${pageSize},odata.include-annotations="*"` };
}

/**
 * getText asks for an address and returns the answer's text. It throws a Refusal for everything but success; a token that is not taken
 * ends the session.
 */
export async function getText(address, { headers = {}, signal } = {}) {
  const answer = await fetch(resolve(address, location.origin), {
    headers: { Accept: 'application/json', Authorization: `Bearer ${bearer()}`, ...headers },
    signal,
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
  });
  left.requests = answer.headers.get('x-ms-ratelimit-burst-remaining-xrm-requests');
  left.seconds = answer.headers.get('x-ms-ratelimit-time-remaining-xrm-requests');
  const text = await answer.text();
  if (answer.status === 401) end('The service does not take this token, or not any more. Please sign in.');
  if (!answer.ok) throw new Refusal(answer.status, errorIn(text), answer.headers.get('Retry-After'));
  return text;
}

/** get is getText for JSON. */
export async function get(address, options) {
  return JSON.parse(await getText(address, options));
}

/** getPage asks for a page of rows: they come with the address of the next page or null, and their number if it was asked for. */
export async function getPage(address, size, signal) {
  const answer = await get(address, { headers: preferring(size), signal });
  return { rows: answer.value, next: answer['@odata.nextLink'] ?? null, count: answer['@odata.count'] };
}

/** allowed is get that gives null where the caller may not look. */
export async function allowed(address, options) {
  try {
    return await get(address, options);
  } catch (error) {
    if (error instanceof Refusal && error.status === 403) return null;
    throw error;
  }
}

function errorIn(text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return undefined;
  }
}
