// What the console has to know of FetchXML: the table it asks, and how the next page of it is asked for.

const ATTRIBUTES = String.raw`((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)`;
const FETCH = new RegExp(`<fetch${ATTRIBUTES}\\s*>`);
const ENTITY = new RegExp(`<entity${ATTRIBUTES}\\s*/?>`);

/** isFetchXML tells a FetchXML text from an OData address. */
export const isFetchXML = (text) => text.trimStart().startsWith('<');

/** tableOf is the logical name of the table a query asks, or null. */
export function tableOf(xml) {
  return attribute(ENTITY.exec(uncommented(xml))?.[1] ?? '', 'name');
}

/** paged gives a query a page size, unless it says one itself or counts rows from the top. */
export function paged(xml, count) {
  const text = uncommented(xml);
  const attributes = FETCH.exec(text)?.[1];
  if (attributes === undefined || ['count', 'top', 'aggregate'].some((name) => attribute(attributes, name) !== null)) return text;
  return withAttributes(text, { count: String(count) });
}

/** nextPage is the query for the page behind an answer, or null when there is none. */
export function nextPage(xml, answer) {
  const cookie = answer['@Microsoft.Dynamics.CRM.fetchxmlpagingcookie'];
  if (!cookie || !answer['@Microsoft.Dynamics.CRM.morerecords']) return null;
  const page = attribute(cookie, 'pagenumber');
  const place = attribute(cookie, 'pagingcookie');
  if (page === null || place === null) return null;
  return withAttributes(uncommented(xml), { page, 'paging-cookie': escape(decodeURIComponent(decodeURIComponent(place))) });
}

function uncommented(xml) {
  return xml.replace(/<!--[^]*?-->/g, '').trim();
}

/** withAttributes sets attributes of the fetch element; their values are escaped already. */
function withAttributes(xml, set) {
  return xml.replace(FETCH, (_, attributes) => {
    let rest = attributes;
    for (const name of Object.keys(set)) rest = rest.replace(new RegExp(`\\s${name}\\s*=\\s*("[^"]*"|'[^']*')`), '');
    return `<fetch${rest}${Object.entries(set)
      .map(([name, value]) => ` ${name}="${value}"`)
      .join('')}>`;
  });
}

function attribute(text, name) {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(text);
  return found ? found[1] ?? found[2] : null;
}

function escape(text) {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
