// The page of one row: its columns, what belongs to it, why its totals are what they are, and its history.

import { get, preferring } from './api.mjs';
import { isId, logicalName, namesIn, textOf } from './cell.mjs';
import { el } from './dom.mjs';
import { valueNode } from './grid.mjs';
import { historySection } from './history.mjs';
import { columns, tableNamed } from './metadata.mjs';
import { relatedSection } from './related.mjs';
import { toTable } from './route.mjs';
import { whySection } from './why.mjs';

export async function rowPage({ parts: [, name, id] }, signal) {
  if (!isId(id)) throw new Error(`'${id}' is no id of a row.`);
  const [table, known] = await Promise.all([tableNamed(name), columns(name)]);
  const row = await get(`${table.set}(${id})`, { headers: preferring(1), signal });
  return {
    title: (table.title && textOf(row, table.title)) || table.label,
    note: el('span', {}, el('a', { href: toTable(name) }, table.labels), ' ', el('code', {}, id)),
    nodes: [columnsSection(row, known), whySection(table, row, signal), relatedSection(table, row), historySection(table, id, signal)],
  };
}

/** columnsSection shows every column; those that say little are behind a line that tells how many they are. */
function columnsSection(row, known) {
  const names = namesIn(row);
  const empty = names.filter((name) => row[name] === null);
  const base = names.filter((name) => row[name] !== null && name.endsWith('_base'));
  const rest = names.filter((name) => row[name] !== null && !name.endsWith('_base'));
  return el(
    'section',
    {},
    el('h2', {}, 'Columns'),
    facts(row, rest, known),
    folded('amounts in the base currency', row, base, known),
    folded('columns without a value', row, empty, known)
  );
}

function folded(what, row, names, known) {
  if (names.length === 0) return null;
  return el('details', {}, el('summary', {}, `${names.length} ${what}`), facts(row, names, known));
}

function facts(row, names, known) {
  return el(
    'dl',
    { class: 'facts' },
    names.map((name) => {
      const column = known.get(logicalName(name));
      return el(
        'div',
        {},
        el('dt', { title: column?.doc || null }, column?.label ?? name, el('code', {}, name)),
        el('dd', {}, valueNode(row, name))
      );
    })
  );
}
