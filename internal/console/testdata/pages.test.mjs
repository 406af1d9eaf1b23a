// Tests of the console's modules that need no browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

globalThis.sessionStorage = { getItem: () => null, setItem() {}, removeItem() {} };

const { isNumber, logicalName, namesInAll, shortened, spoken, targetOf, textOf } = await import('../pages/cell.mjs');
const { defaultColumns } = await import('../pages/defaults.mjs');
const { isFetchXML, nextPage, paged, tableOf } = await import('../pages/fetchxml.mjs');
const { layOut } = await import('../pages/json.mjs');
const { Pages } = await import('../pages/pages.mjs');
const { parse, print, toRow } = await import('../pages/route.mjs');
const { resolve } = await import('../pages/api.mjs');
const { changesIn } = await import('../pages/history.mjs');
const { addressOf } = await import('../pages/rows.mjs');
const { sentenceOf } = await import('../pages/why.mjs');
const { heldBack, inTime } = await import('../pages/watermark.mjs');

const ID = '01580cec-a23a-783f-99fe-e0c297ea6bd4';

test('an address is read as it was written', () => {
  const options = { filter: "contains(name,'a&b=c#d') and x eq 1", sort: 'name desc' };
  assert.deepEqual(parse(print(['table', 'svc_gift'], options)), { parts: ['table', 'svc_gift'], options });
  assert.deepEqual(parse(''), { parts: [], options: {} });
  assert.equal(toRow('contact', ID), `#/row/contact/${ID}`);
  assert.equal(print(['query'], { text: '' }), '#/query');
});

test('only the Web API of this service is asked', () => {
  const origin = 'https://almoner.example';
  assert.equal(resolve('svc_gifts?$top=1', origin), '/api/data/v9.2/svc_gifts?$top=1');
  assert.equal(resolve('/api/data/v9.1/svc_gifts', origin), '/api/data/v9.1/svc_gifts');
  assert.equal(resolve(`${origin}/api/data/v9.2/svc_gifts?$skiptoken=x`, origin), '/api/data/v9.2/svc_gifts?$skiptoken=x');
  for (const other of [
    'https://evil.example/api/data/v9.2/x',
    '//evil.example/api/data/',
    '/metrics',
    '../../../metrics',
    'javascript:alert(1)',
  ]) {
    assert.throws(() => resolve(other, origin), /only the Web API/, other);
  }
});

test('cells show formatted values, and lookups their targets', () => {
  const row = {
    total: 3,
    'total@OData.Community.Display.V1.FormattedValue': '$3.00',
    choice: 7,
    'choice@OData.Community.Display.V1.FormattedValue': 'Pledge',
    _donor_value: ID,
    '_donor_value@Microsoft.Dynamics.CRM.lookuplogicalname': 'svc_donor',
    nothing: null,
    many: [1],
  };
  assert.deepEqual(namesInAll([row, { extra: 1 }]), ['total', 'choice', '_donor_value', 'nothing', 'many', 'extra']);
  assert.deepEqual(
    ['total', 'choice', '_donor_value', 'nothing', 'many', 'absent'].map((name) => textOf(row, name)),
    ['$3.00', 'Pledge', ID, null, '[1]', null]
  );
  assert.deepEqual(
    ['total', 'choice', 'many'].map((name) => isNumber(row, name)),
    [true, false, false]
  );
  assert.deepEqual(targetOf(row, '_donor_value'), { table: 'svc_donor', id: ID });
  assert.equal(targetOf(row, 'total'), null);
  assert.equal(logicalName('_svc_donor_value'), 'svc_donor');
  assert.equal(spoken('svc_MatchingDonor'), 'Matching Donor');
  assert.equal(shortened('x'.repeat(1000)).length, 301);
});

test('a list asks for its columns, order, filter and place', () => {
  const table = { set: 'svc_gifts' };
  const chosen = [{ wire: 'svc_giftnum' }, { wire: '_svc_donor_value' }];
  assert.equal(addressOf(table, chosen, {}), 'svc_gifts?$select=svc_giftnum,_svc_donor_value&$count=true');
  assert.equal(
    addressOf(table, chosen, { sort: 'svc_giftnum desc', filter: "a eq 'b&c'" }),
    "svc_gifts?$select=svc_giftnum,_svc_donor_value&$count=true&$orderby=svc_giftnum%20desc&$filter=a%20eq%20'b%26c'"
  );
  assert.match(addressOf(table, chosen, { within: `lists(${ID})/members` }), /^lists\(.{36}\)\/members\?/);
  assert.match(addressOf(table, chosen, { within: '../../metrics' }), /^svc_gifts\?/);
});

test('a table without chosen columns shows its title and what is not technical', () => {
  const column = (name, type = 'String') => [name, { name, type }];
  const columns = new Map([
    column('xid'),
    column('code'),
    column('total_base', 'Money'),
    column('note', 'Memo'),
    column('name'),
    column('createdby', 'Lookup'),
  ]);
  assert.deepEqual(defaultColumns({ name: 'x', key: 'xid', title: 'name' }, columns), ['name', 'code']);
});

test('FetchXML is paged by its cookie', () => {
  const xml = '<!-- all --> <fetch count="2">\n<entity name="svc_donor"><attribute name="svc_donor"/></entity></fetch>';
  assert.ok(isFetchXML(xml) && !isFetchXML('svc_donors'));
  assert.equal(tableOf(xml), 'svc_donor');
  assert.equal(tableOf('<fetch/>'), null);
  assert.match(paged('<fetch><entity name="a"/></fetch>', 50), /^<fetch count="50">/);
  for (const own of ['count="2"', "top='3'", 'aggregate="true"'])
    assert.match(paged(`<fetch ${own}><entity name="a"/></fetch>`, 50), new RegExp(`^<fetch ${own}>`));
  const answer = {
    '@Microsoft.Dynamics.CRM.morerecords': true,
    '@Microsoft.Dynamics.CRM.fetchxmlpagingcookie':
      '<cookie pagenumber="2" pagingcookie="%253ccookie%2520page%253d%25221%2522%253e" istracking="False" />',
  };
  const second = nextPage(xml, answer);
  assert.match(second, /^<fetch count="2" page="2" paging-cookie="&lt;cookie page=&quot;1&quot;&gt;">/);
  assert.equal(nextPage(second, answer), second);
  assert.equal(nextPage(xml, { ...answer, '@Microsoft.Dynamics.CRM.morerecords': false }), null);
});

test('JSON keeps its digits and its texts', () => {
  assert.equal(
    layOut('{"a":0.00,"b":["x, {y}: \\"z\\"",{}],"c":[]}'),
    '{\n  "a": 0.00,\n  "b": [\n    "x, {y}: \\"z\\"",\n    {}\n  ],\n  "c": []\n}'
  );
});

test('pages go forth and back', () => {
  const pages = new Pages('one');
  pages.arrived(50, 'two');
  assert.equal(pages.place(1500), 'Rows 1–50 of 1,500');
  pages.forward();
  pages.arrived(7, null);
  assert.deepEqual([pages.here.address, pages.place()], ['two', 'Rows 51–57']);
  pages.back();
  assert.equal(pages.here.address, 'one');
  pages.arrived(0, null);
  assert.equal(pages.place(0), 'No rows');
});

test('an explanation adds up', () => {
  const events = [{ Amount: 0.1 }, { Amount: 0.2 }, { Amount: -0.05 }];
  assert.equal(sentenceOf(0.25, events, 2026), '3 events come to 0.25 in 2026.');
  assert.equal(sentenceOf(1, events, ''), '3 events come to 0.25 in all years, but the service says 1.00.');
  assert.equal(sentenceOf(0, [], ''), 'Nothing counts in all years.');
});

test('an audit line without details has no changes', () => {
  assert.equal(changesIn('{"changedAttributes":[{"logicalName":"a"}]}').length, 1);
  assert.deepEqual([changesIn(null), changesIn(''), changesIn('a~b')], [[], [], []]);
});

test('the watermark is spoken of plainly', () => {
  assert.match(inTime('46887', 12), /up to date.*version 46,887\..*12 milliseconds/);
  assert.match(inTime('46887', 7000), /was held back for 7 seconds/);
  assert.match(heldBack(3000), /under way for at least 3 seconds.*nothing is lost/);
});
