// The console: shows the page its address names.

import { el, show } from './dom.mjs';
import { faultBox } from './fault.mjs';
import { queryPage } from './query.mjs';
import { parse } from './route.mjs';
import { rowPage } from './row.mjs';
import { rowsPage } from './rows.mjs';
import { servicePage } from './service.mjs';
import { bearer, end, whenOver } from './session.mjs';
import { signInPage } from './signin.mjs';
import { tablesPage } from './tables.mjs';

// A page is a function of its route and of a signal that tells it is no longer wanted. It returns its title, a note to it and its nodes.
const PAGES = { '': tablesPage, table: rowsPage, row: rowPage, query: queryPage, service: servicePage };

const main = document.getElementById('main');
const menu = document.getElementById('menu');

let turn = new AbortController(); // of the page that is being made or shown
let shown = ''; // the path of the page that is shown

/** render makes the page of the address. What is there stays until the new page is ready. */
async function render() {
  turn.abort();
  if (!bearer()) return renderSignIn('');
  turn = new AbortController();
  const { signal } = turn;
  main.setAttribute('aria-busy', 'true');
  const route = parse(location.hash);
  let page;
  try {
    page = await pageOf(route, signal);
  } catch (error) {
    page = { title: 'This did not work', nodes: [faultBox(error)] };
  }
  if (signal.aborted || !bearer()) return;
  main.removeAttribute('aria-busy');
  put(page, route.parts.join('/'));
}

async function pageOf(route, signal) {
  const make = PAGES[route.parts[0] ?? ''];
  if (!make) throw new Error('There is no such page.');
  return make(route, signal);
}

/** put shows a page. The focus stays where it was on a page that is shown anew, and begins at the heading of another one. */
function put({ title, note, nodes }, path) {
  const focused = document.activeElement?.dataset?.keep;
  const heading = el('h1', { tabindex: '-1' }, title);
  show(main, heading, note ? el('p', { class: 'note' }, note) : null, nodes);
  menu.hidden = false;
  document.title = `${title} · Almoner`;
  for (const link of menu.querySelectorAll('a')) link.toggleAttribute('aria-current', link.hash === `#/${path}`);
  const again = path === shown && focused && main.querySelector(`[data-keep="${CSS.escape(focused)}"]`);
  (again || heading).focus({ preventScroll: Boolean(again) });
  if (path !== shown) scrollTo(0, 0);
  shown = path;
}

function renderSignIn(reason) {
  turn.abort();
  main.removeAttribute('aria-busy');
  menu.hidden = true;
  shown = '';
  document.title = 'Sign in · Almoner';
  show(main, signInPage(reason, render));
  main.querySelector('input').focus();
}

whenOver(renderSignIn);
addEventListener('hashchange', render);
document.getElementById('leave').addEventListener('click', () => end());
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
render();
