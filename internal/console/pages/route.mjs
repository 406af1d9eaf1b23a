// Addresses inside the console: what stands behind the # of the page's address.

/** parse reads "#/table/svc_gift?sort=…" into its path's parts and its options. */
export function parse(hash) {
  const [path, query = ''] = split(hash.replace(/^#\/?/, ''));
  return { parts: path.split('/').filter(Boolean).map(decodeURIComponent), options: Object.fromEntries(new URLSearchParams(query)) };
}

/** print writes an address that parse reads. Options without a value are left out. */
export function print(parts, options = {}) {
  const query = new URLSearchParams(Object.entries(options).filter(([, value]) => value)).toString();
  return '#/' + parts.map(encodeURIComponent).join('/') + (query && '?' + query);
}

export const toRow = (table, id) => print(['row', table, id]);
export const toTable = (table, options) => print(['table', table], options);
export const toQuery = (text) => print(['query'], { text });

function split(text) {
  const at = text.indexOf('?');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
