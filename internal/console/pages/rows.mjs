// The page of a table's rows.

import { getPage } from './api.mjs';
import { defaultColumns } from './defaults.mjs';
import { el } from './dom.mjs';
import { orFault } from './fault.mjs';
import { grid } from './grid.mjs';
import { listing } from './listing.mjs';
import { columns, tableNamed } from './metadata.mjs';
import { toQuery, toRow, toTable } from './route.mjs';

const SIZES = ['25', '50', '100', '250'];
const WITHIN = /^\w+\([0-9a-f-]{36}\)\/\w+$/i; // the collection of a row

/** rowsPage shows rows; the options of its address say which: columns, sort, filter, size, and within for the collection of a row. */
export async function rowsPage({ parts: [, name], options }, signal) {
  const [table, known] = await Promise.all([tableNamed(name), columns(name)]);
  const chosen = chosenColumns(table, known, options);
  const turnTo = (changes) => toTable(name, { ...options, ...changes });
  const address = addressOf(table, chosen, options);
  const nodes = [
    filterForm(options, turnTo),
    el(
      'div',
      { class: 'tools' },
      columnPicker(known, chosen, turnTo),
      sizePicker(options, turnTo),
      el('a', { href: toQuery(address) }, 'Open as a query')
    ),
    await orFault(found(table, chosen, address, options, turnTo, signal), signal),
  ];
  return { title: table.labels, note: options.within ? `of ${options.within}` : table.set, nodes };
}

function chosenColumns(table, known, options) {
  const asked = (options.columns ?? '').split(',').filter((name) => known.has(name));
  return (asked.length > 0 ? asked : defaultColumns(table, known)).map((name) => known.get(name));
}

/** addressOf is the question for the first page. */
export function addressOf(table, chosen, { within, sort, filter }) {
  const parts = [`$select=${chosen.map((c) => c.wire).join(',')}`, '$count=true'];
  if (sort) parts.push(`$orderby=${encodeURIComponent(sort)}`);
  if (filter) parts.push(`$filter=${encodeURIComponent(filter)}`);
  return `${within && WITHIN.test(within) ? within : table.set}?${parts.join('&')}`;
}

function found(table, chosen, address, options, turnTo, signal) {
  return listing({
    first: address,
    signal,
    ask: (here) => getPage(here, Number(sizeOf(options)), signal),
    draw: (page) =>
      grid(page.rows, chosen, {
        caption: table.labels,
        link: (row) => toRow(table.name, row[table.key]),
        heading: (c) => sorter(c, options, turnTo),
        sorted: (c) => direction(c, options),
      }),
  });
}

function direction(column, { sort = '' }) {
  const [by, way] = sort.split(' ');
  if (by !== column.wire) return null;
  return way === 'desc' ? 'descending' : 'ascending';
}

function sorter(column, options, turnTo) {
  const now = direction(column, options);
  const mark = { ascending: ' ↑', descending: ' ↓' }[now] ?? '';
  const sort = `${column.wire} ${now === 'ascending' ? 'desc' : 'asc'}`;
  return el('a', { href: turnTo({ sort }), 'data-keep': `sort ${column.name}` }, column.label + mark);
}

function filterForm(options, turnTo) {
  const input = el('input', {
    id: 'filter',
    type: 'text',
    value: options.filter ?? '',
    spellcheck: 'false',
    autocomplete: 'off',
    'data-keep': 'filter',
    placeholder: 'createdon gt 2026-01-01T00:00:00Z and statecode eq 0',
  });
  const apply = (event) => {
    event.preventDefault();
    location.hash = turnTo({ filter: input.value.trim() });
  };
  return el(
    'form',
    { class: 'filter', onsubmit: apply },
    el('label', { for: 'filter' }, 'Filter'),
    input,
    el('button', { type: 'submit' }, 'Apply'),
    options.filter ? el('a', { href: turnTo({ filter: '' }) }, 'Clear') : null
  );
}

function columnPicker(known, chosen, turnTo) {
  const on = new Set(chosen.map((c) => c.name));
  const boxes = [...known.values()]
    .sort((a, b) => a.label.localeCompare(b.label))
    .map((c) => {
      const box = el('input', { type: 'checkbox', value: c.name, checked: on.has(c.name) });
      return el('label', { title: c.doc || null }, box, ' ', c.label, ' ', el('code', {}, c.wire));
    });
  const apply = (event) => {
    event.preventDefault();
    const ticked = [...event.target.querySelectorAll('input:checked')].map((box) => box.value);
    const before = chosen.map((c) => c.name).filter((name) => ticked.includes(name));
    location.hash = turnTo({ columns: [...new Set([...before, ...ticked])].join(',') });
  };
  return el(
    'details',
    { class: 'picker' },
    el('summary', { 'data-keep': 'columns' }, `Columns (${chosen.length})`),
    el('form', { onsubmit: apply }, el('div', { class: 'boxes' }, boxes), el('button', { type: 'submit' }, 'Show these'))
  );
}

const sizeOf = (options) => (SIZES.includes(options.size) ? options.size : '50');

function sizePicker(options, turnTo) {
  const choose = (event) => {
    location.hash = turnTo({ size: event.target.value });
  };
  const select = el(
    'select',
    { onchange: choose, 'data-keep': 'size' },
    SIZES.map((size) => el('option', { value: size, selected: size === sizeOf(options) }, size))
  );
  return el('label', {}, 'Rows per page ', select);
}
