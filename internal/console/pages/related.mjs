// What belongs to a row: links to lists of the rows around it.

import { el } from './dom.mjs';
import { faultBox } from './fault.mjs';
import { relations, tables } from './metadata.mjs';
import { toTable } from './route.mjs';

const MEMBERS = { 2: 'account', 3: 'lead', 4: 'contact' }; // a list's createdfromcode

/** relatedSection fills itself; relations to tables the caller's roles do not name are left out. */
export function relatedSection(table, row) {
  const box = el('section', {}, el('h2', {}, 'Related'));
  fill(box, table, row).catch((error) => box.append(faultBox(error)));
  return box;
}

async function fill(box, table, row) {
  const [all, { pointing, joined }] = await Promise.all([tables(), relations(table.name)]);
  const id = row[table.key];
  const within = (path) => `${table.set}(${id})/${path}`;
  const links = [
    ...members(table, row).map((member) => ({ table: member, options: { within: within('listmember_association') }, label: 'Members' })),
    ...pointing.map((r) => ({ table: r.table, options: { filter: `_${r.column}_value eq ${id}` }, label: `by ${r.label}` })),
    ...joined.map((r) => ({ table: r.table, options: { within: within(r.path) }, label: 'linked' })),
  ].filter((link) => all.get(link.table)?.named);
  if (links.length === 0) return box.remove();
  links.sort((a, b) => all.get(a.table).labels.localeCompare(all.get(b.table).labels));
  box.append(
    el(
      'ul',
      { class: 'links' },
      links.map((link) =>
        el('li', {}, el('a', { href: toTable(link.table, link.options) }, all.get(link.table).labels), ' ', el('small', {}, link.label))
      )
    )
  );
}

const members = (table, row) => (table.name === 'list' && MEMBERS[row.createdfromcode] ? [MEMBERS[row.createdfromcode]] : []);
