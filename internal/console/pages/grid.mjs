// Rows as a table.

import { el } from './dom.mjs';
import { isId, isNumber, shortened, targetOf, textOf } from './cell.mjs';
import { toRow } from './route.mjs';

/**
 * grid draws rows. Columns have the name of the wire and a label; heading(column) may give what stands in a header cell, and
 * link(row) where the first cell leads.
 */
export function grid(rows, columns, { caption, heading = (c) => c.label, link = () => null, sorted = () => null }) {
  const head = columns.map((c) =>
    el('th', { scope: 'col', class: numeric(rows, c) && 'number', 'aria-sort': sorted(c), title: c.doc || null }, heading(c))
  );
  const body = rows.map((row) =>
    el(
      'tr',
      {},
      columns.map((c, i) => cell(row, c, i === 0 ? link(row) : null))
    )
  );
  return el(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    el('table', {}, el('caption', { class: 'unseen' }, caption), el('thead', {}, el('tr', {}, head)), el('tbody', {}, body))
  );
}

function cell(row, column, href) {
  const text = textOf(row, column.wire);
  const content = href ? el('a', { href }, shortened(text ?? '(no name)')) : valueNode(row, column.wire, shortened);
  return el('td', { class: kindOf(row, column.wire, text) }, content);
}

function kindOf(row, name, text) {
  if (isNumber(row, name)) return 'number';
  return isId(text) ? 'id' : null;
}

const numeric = (rows, column) => rows.some((row) => isNumber(row, column.wire));

/** valueNode shows a value: a lookup as the link to its row, no value as a dash. */
export function valueNode(row, name, cut = (text) => text) {
  const text = textOf(row, name);
  if (text === null) return el('span', { class: 'none' }, '–');
  const target = targetOf(row, name);
  return target ? el('a', { href: toRow(target.table, target.id) }, cut(text)) : cut(text);
}
