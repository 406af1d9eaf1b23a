// A question shown page by page: one page of rows is in memory, and the way back and forth is addresses.

import { el, say, show } from './dom.mjs';
import { faultBox } from './fault.mjs';
import { Pages } from './pages.mjs';

/**
 * listing loads the first page and returns the node that shows it and leads to the others. ask(address) gives the page behind an
 * address: its rows, the address of the next one or null, and how many rows there are in all if that is known. draw(page) gives the
 * nodes that show it. An error of the first page is thrown to who asked; later ones are shown in the listing's place.
 */
export async function listing({ first, signal, ask, draw }) {
  const pages = new Pages(first);
  const rows = el('div', {});
  const bar = el('div', { class: 'pager' });
  const node = el('div', {}, rows, bar);

  async function load() {
    node.setAttribute('aria-busy', 'true');
    try {
      const page = await ask(pages.here.address);
      pages.arrived(page.rows.length, page.next);
      const place = pages.place(page.count);
      show(rows, draw(page));
      show(
        bar,
        el('span', {}, place),
        step('Previous', pages.before.length > 0, () => pages.back()),
        step('Next', pages.next !== null, () => pages.forward())
      );
      say(place);
    } finally {
      node.removeAttribute('aria-busy');
    }
  }

  function step(text, possible, move) {
    const go = async () => {
      move();
      try {
        await load();
        focusOn(text);
      } catch (error) {
        if (!signal.aborted) show(rows, faultBox(error));
      }
    };
    return el('button', { type: 'button', disabled: !possible, onclick: go }, text);
  }

  /** focusOn keeps the keyboard on the button that was pressed, or on the other one at the end of the way. */
  function focusOn(text) {
    const buttons = [...bar.querySelectorAll('button:enabled')];
    (buttons.find((button) => button.textContent === text) ?? buttons[0])?.focus();
  }

  await load();
  return node;
}
