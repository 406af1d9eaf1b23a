// The audit of a row: who changed what and when.

import { Refusal, getPage } from './api.mjs';
import { textOf } from './cell.mjs';
import { el } from './dom.mjs';
import { faultBox } from './fault.mjs';
import { valueNode } from './grid.mjs';
import { listing } from './listing.mjs';
import { choices, columns } from './metadata.mjs';
import { toRow } from './route.mjs';

const SIZE = 20;

/** historySection fills itself, and goes away when the caller may not read the audit. */
export function historySection(table, id, signal) {
  const box = el('section', {}, el('h2', {}, 'History'));
  fill(box, table, id, signal).catch((error) => {
    if (error instanceof Refusal && error.status === 403) box.remove();
    else if (!signal.aborted) box.append(faultBox(error));
  });
  return box;
}

async function fill(box, table, id, signal) {
  const [known, labels] = await Promise.all([columns(table.name), choices(table.name)]);
  const select = '$select=createdon,operation,action,_userid_value,_callinguserid_value,changedata';
  const lines = await listing({
    first: `audits?${select}&$filter=${encodeURIComponent(`_objectid_value eq ${id}`)}&$orderby=createdon desc&$count=true`,
    signal,
    ask: (here) => getPage(here, SIZE, signal),
    draw: (page) =>
      el(
        'ol',
        { class: 'history' },
        page.rows.map((line) => lineNode(line, known, labels))
      ),
  });
  box.append(lines);
}

function lineNode(line, known, labels) {
  const changes = changesIn(line.changedata);
  return el(
    'li',
    {},
    el(
      'p',
      {},
      el('time', { datetime: line.createdon }, textOf(line, 'createdon')),
      ' ',
      el('strong', {}, textOf(line, 'action') ?? ''),
      ' by ',
      valueNode(line, '_userid_value'),
      behalf(line)
    ),
    changes.length === 0
      ? null
      : el(
          'ul',
          {},
          changes.map((change) => changeNode(change, known, labels))
        )
  );
}

const behalf = (line) => (line._callinguserid_value ? el('span', {}, ' through ', valueNode(line, '_callinguserid_value')) : null);

/** changesIn reads the columns of an audit line; a line without details has none. */
export function changesIn(text) {
  try {
    return JSON.parse(text).changedAttributes ?? [];
  } catch {
    return [];
  }
}

function changeNode({ logicalName, oldValue, newValue }, known, labels) {
  const show = (value) => changedValue(value, labels.get(logicalName));
  return el('li', {}, el('span', {}, known.get(logicalName)?.label ?? logicalName), ': ', show(oldValue), ' → ', show(newValue));
}

const REFERENCE = /^(\w+),([0-9a-f-]{36})$/i;

/** changedValue shows a logged value: a choice by its label, a lookup as a link, no value as a dash. */
function changedValue(value, labels) {
  if (value === null || value === undefined || value === '') return el('span', { class: 'none' }, '–');
  const reference = REFERENCE.exec(value);
  if (reference) return el('a', { href: toRow(reference[1], reference[2]) }, reference[2]);
  return labels?.get(value) ?? value;
}
