// Reading the rows of an answer: values, what they are called, and what they point at.

export const FORMATTED = '@OData.Community.Display.V1.FormattedValue';
export const TARGET = '@Microsoft.Dynamics.CRM.lookuplogicalname';

/** namesIn lists the columns of a row, without its annotations. */
export function namesIn(row) {
  return Object.keys(row).filter((name) => !name.includes('@'));
}

/** namesInAll lists the columns of several rows, in the order they first appear. */
export function namesInAll(rows) {
  return [...new Set(rows.flatMap(namesIn))];
}

/** textOf is what a cell shows: its formatted value, else the value itself, else null. */
export function textOf(row, name) {
  const value = row[name];
  if (value === null || value === undefined) return null;
  const formatted = row[name + FORMATTED];
  if (formatted !== undefined) return formatted;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** targetOf is the row a lookup points at, or null. */
export function targetOf(row, name) {
  const table = row[name + TARGET];
  return table && row[name] ? { table, id: row[name] } : null;
}

/** isNumber tells numbers from the rest, also from choices, which are numbers shown as words. */
export const isNumber = (row, name) => typeof row[name] === 'number' && !/\p{L}/u.test(textOf(row, name));

const MOST_TEXT = 300; // characters of a value in a list

/** shortened is a text as a list shows it. */
export const shortened = (text) => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text);

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** isId tells ids of rows from other texts. */
export const isId = (text) => ID.test(text ?? '');

/** logicalName is the column behind a name on the wire: _svc_donor_value is svc_donor. */
export function logicalName(wire) {
  return /^_(.+)_value$/.exec(wire)?.[1] ?? wire;
}

/** spoken makes words of a schema name: svc_MatchingDonor is "Matching Donor". */
export function spoken(name) {
  return name
    .replace(/^[a-z]+_(?=.)/, '')
    .replace(/_/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/^./, (c) => c.toUpperCase());
}
