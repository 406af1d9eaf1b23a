// The page of all tables.

import { el } from './dom.mjs';
import { tables } from './metadata.mjs';
import { toTable } from './route.mjs';

const KINDS = ['Foundation', 'People and outreach', 'Administration'];

/** tablesPage lists what the caller's roles name by kind, and the rest behind a line: the service says of each whether it may be read. */
export async function tablesPage() {
  const all = [...(await tables()).values()];
  const named = all.filter((table) => table.named);
  const others = all.filter((table) => !table.named);
  const kinds = KINDS.map((kind) => [kind, named.filter((table) => table.kind === kind)]).filter(([, some]) => some.length > 0);
  return {
    title: 'Tables',
    nodes: [
      ...kinds.map(([kind, some]) => el('section', {}, el('h2', {}, kind), cards(some))),
      others.length > 0
        ? el('details', { class: 'others' }, el('summary', {}, `${others.length} tables your roles do not name`), cards(others))
        : null,
    ],
  };
}

const cards = (some) =>
  el(
    'ul',
    { class: 'cards' },
    some.map((table) => el('li', {}, el('a', { href: toTable(table.name) }, el('strong', {}, table.labels), el('code', {}, table.set))))
  );
