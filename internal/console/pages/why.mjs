// Why a donor's giving or a fund's gifts are what they are: the events behind the number, which add up to it exactly.

import { get } from './api.mjs';
import { FORMATTED, TARGET } from './cell.mjs';
import { el, say, show } from './dom.mjs';
import { orFault } from './fault.mjs';
import { grid } from './grid.mjs';
import { listing } from './listing.mjs';

const EXPLAINED = { svc_donor: 'giving', svc_fund: 'gifts' };
const SIZE = 50;
const COLUMNS = [
  { wire: 'Date', label: 'Date' },
  { wire: 'Year', label: 'Counted in' },
  { wire: 'Amount', label: 'Amount' },
  { wire: 'GiftId', label: 'Gift' },
  { wire: 'PaymentId', label: 'Payment' },
];

/** whySection is null for tables whose rows have no totals of this kind. */
export function whySection(table, row, signal) {
  const what = EXPLAINED[table.name];
  if (!what) return null;
  const year = el('input', {
    id: 'year',
    type: 'number',
    min: '1900',
    max: '2999',
    placeholder: 'all',
    value: String(new Date().getFullYear()),
  });
  const result = el('div', {});
  const explain = async (event) => {
    event.preventDefault();
    show(result, await orFault(explanation(`${table.set}(${row[table.key]})`, year.value, signal), signal));
  };
  return el(
    'section',
    {},
    el('h2', {}, `Why this ${what}?`),
    el(
      'form',
      { class: 'filter', onsubmit: explain },
      el('label', { for: 'year' }, 'Year'),
      year,
      el('button', { type: 'submit' }, 'Explain')
    ),
    result
  );
}

async function explanation(row, year, signal) {
  const { Total, Events } = await get(`${row}/Microsoft.Dynamics.CRM.Why(${year ? `Year=${Number(year)}` : ''})`, { signal });
  const sentence = sentenceOf(Total, Events, year);
  say(sentence);
  if (Events.length === 0) return [el('p', {}, sentence)];
  return [
    el('p', {}, sentence),
    await listing({
      first: 0,
      signal,
      ask: async (from) => ({
        rows: Events.slice(from, from + SIZE).map(eventRow),
        next: from + SIZE < Events.length ? from + SIZE : null,
        count: Events.length,
      }),
      draw: (page) => grid(page.rows, COLUMNS, { caption: 'Events' }),
    }),
  ];
}

/** eventRow gives an event the annotations that make its ids links. */
function eventRow(event) {
  return {
    ...event,
    [`Year${FORMATTED}`]: String(event.Year),
    [`Amount${FORMATTED}`]: money(event.Amount),
    [`GiftId${TARGET}`]: 'svc_gift',
    [`GiftId${FORMATTED}`]: `Gift …${event.GiftId.slice(-6)}`,
    [`PaymentId${TARGET}`]: 'svc_giftpayment',
    [`PaymentId${FORMATTED}`]: event.PaymentId && `Payment …${event.PaymentId.slice(-6)}`,
  };
}

/** sentenceOf says what the events come to, counted anew in cents. */
export function sentenceOf(total, events, year) {
  const when = year ? `in ${year}` : 'in all years';
  if (events.length === 0) return `Nothing counts ${when}.`;
  const cents = events.reduce((sum, event) => sum + Math.round(event.Amount * 100), 0);
  const agrees = cents === Math.round(total * 100);
  const many = events.length === 1 ? 'One event comes' : `${events.length.toLocaleString('en')} events come`;
  return agrees ? `${many} to ${money(total)} ${when}.` : `${many} to ${money(cents / 100)} ${when}, but the service says ${money(total)}.`;
}

const money = (amount) => amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
