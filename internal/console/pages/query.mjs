// The page for questions of one's own, in OData or FetchXML.

import { ROOT, getText, preferring } from './api.mjs';
import { logicalName, namesInAll } from './cell.mjs';
import { el } from './dom.mjs';
import { orFault } from './fault.mjs';
import { isFetchXML, nextPage, paged, tableOf } from './fetchxml.mjs';
import { grid } from './grid.mjs';
import { layOut } from './json.mjs';
import { listing } from './listing.mjs';
import { columns, tableNamed, tables } from './metadata.mjs';
import { toQuery, toRow } from './route.mjs';

const SIZE = 50;
const MOST_RAW = 200_000; // characters of JSON shown

/** queryPage asks what the option text of its address says. */
export async function queryPage({ options: { text = '' } }, signal) {
  const below = text ? await orFault(result(text, signal), signal) : examples();
  return { title: 'Query', note: `An address below ${ROOT}, or FetchXML. The console only reads.`, nodes: [form(text), below] };
}

function form(text) {
  const lines = Math.min(16, Math.max(4, text.split('\n').length + 1));
  const ask = (event) => {
    event.preventDefault();
    const address = toQuery(area.value.trim());
    if (location.hash === address) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.hash = address;
  };
  const hurry = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) ask(event);
  };
  const area = el(
    'textarea',
    { id: 'question', rows: String(lines), spellcheck: 'false', autocomplete: 'off', 'data-keep': 'question', onkeydown: hurry },
    text
  );
  return el(
    'form',
    { class: 'question', onsubmit: ask },
    el('label', { for: 'question' }, 'Question'),
    area,
    el('p', {}, el('button', { type: 'submit' }, 'Ask'), ' ', el('small', {}, 'Ctrl+Enter asks, too'))
  );
}

const EXAMPLES = [
  'svc_gifts?$select=svc_giftnum,svc_giftdate,svc_totalgift&$filter=svc_totalgift gt 10000&$orderby=svc_giftdate desc',
  'svc_gifts?$apply=groupby((svc_gifttype),aggregate(svc_totalgift with sum as total,$count as gifts))',
  `<fetch>
  <entity name="svc_gift">
    <attribute name="svc_giftnum"/>
    <attribute name="svc_totalgift"/>
    <order attribute="svc_giftdate" descending="true"/>
    <link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="donor">
      <attribute name="svc_formaldefault"/>
    </link-entity>
  </entity>
</fetch>`,
];

function examples() {
  return el(
    'section',
    {},
    el('h2', {}, 'For example'),
    el(
      'ul',
      { class: 'examples' },
      EXAMPLES.map((text) => el('li', {}, el('a', { href: toQuery(text) }, el('pre', {}, text))))
    )
  );
}

/** result asks either kind of question: the address of a page is an address of the API, or the FetchXML of the page. */
function result(text, signal) {
  const question = isFetchXML(text) ? fetchQuestion(text, signal) : odataQuestion(text, signal);
  return listing({ ...question, signal, draw: drawn });
}

function odataQuestion(text, signal) {
  return {
    first: text,
    ask: async (here) => {
      const raw = await getText(here, { headers: preferring(SIZE), signal });
      const answer = parsed(raw);
      return { ...(await tabled(answer, raw)), next: answer?.['@odata.nextLink'] ?? null, count: answer?.['@odata.count'] };
    },
  };
}

function fetchQuestion(text, signal) {
  return {
    first: paged(text, SIZE),
    ask: async (here) => {
      const raw = await getText(`${await setOf(here)}?fetchXml=${encodeURIComponent(here)}`, { headers: preferring(SIZE), signal });
      const answer = parsed(raw);
      return { ...(await tabled(answer, raw)), next: nextPage(here, answer) };
    },
  };
}

async function setOf(xml) {
  const name = tableOf(xml);
  if (!name) throw new Error('The FetchXML names no entity.');
  return (await tableNamed(name)).set;
}

function parsed(raw) {
  try {
    return JSON.parse(raw);
  } catch {
    return null; // plain text, such as the value of one column
  }
}

/** tabled makes rows of an answer and columns with the labels of the table its context names, and lays its text out. */
async function tabled(answer, raw) {
  const rows = rowsOf(answer, raw);
  const table = await tableIn(answer);
  const known = table ? await columns(table.name) : new Map();
  return {
    rows,
    table,
    text: answer === null ? raw : layOut(raw),
    columns: namesInAll(rows).map((wire) => ({ wire, label: known.get(logicalName(wire))?.label ?? wire, doc: wire })),
  };
}

function rowsOf(answer, raw) {
  if (answer === null || typeof answer !== 'object') return [{ value: raw }];
  const rows = Array.isArray(answer.value) ? answer.value : [answer];
  return rows.map((row) => (row !== null && typeof row === 'object' ? row : { value: row }));
}

async function tableIn(answer) {
  const set = /#(\w+)/.exec(answer?.['@odata.context'] ?? '')?.[1];
  return [...(await tables()).values()].find((table) => table.set === set) ?? null;
}

function drawn({ rows, columns: shown, table, text }) {
  const link = (row) => (table && row[table.key] ? toRow(table.name, row[table.key]) : null);
  const cut = text.length > MOST_RAW;
  return [
    rows.length > 0 ? grid(rows, shown, { caption: 'Answer', link }) : null,
    el(
      'details',
      { class: 'answer' },
      el('summary', {}, 'As it was answered'),
      el('pre', { class: 'raw', tabindex: '0' }, cut ? `${text.slice(0, MOST_RAW)}\n…` : text)
    ),
  ];
}
