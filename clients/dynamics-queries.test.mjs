// dynamics-web-api: collections, pages, counts, aggregates and FetchXML.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { cashGift, connect, foundation, refusal, unique } from "./foundation.mjs";

const api = connect();
const amounts = [10, 20, 30, 40, 50, 60, 70];
let ground;
let ours;

before(async () => {
  ground = await foundation();
  ours = `_svc_donor_value eq ${ground.donor}`;
  for (const amount of amounts) {
    await api.create({ collection: "svc_gifts", data: cashGift(ground, amount) });
  }
});

const totals = (rows) => rows.map((row) => row.svc_totalgift);

test("retrieveMultiple: filter, order, top, count", async () => {
  const page = await api.retrieveMultiple({
    collection: "svc_gifts",
    select: ["svc_giftnum", "svc_totalgift"],
    filter: `${ours} and svc_totalgift gt 20`,
    orderBy: ["svc_totalgift desc", "svc_giftnum asc"],
    top: 3,
    count: true,
  });
  assert.deepEqual(totals(page.value), [70, 60, 50]);
  assert.equal(page.oDataCount, 5);
  assert.equal(page.oDataNextLink, undefined, "$top caps the result");
});

test("retrieveMultiple follows next links page by page", async () => {
  const request = { collection: "svc_gifts", select: ["svc_totalgift"], filter: ours, orderBy: ["svc_totalgift"], maxPageSize: 3 };
  const first = await api.retrieveMultiple(request);
  assert.deepEqual(totals(first.value), [10, 20, 30]);
  const second = await api.retrieveMultiple(request, first.oDataNextLink);
  assert.deepEqual(totals(second.value), [40, 50, 60]);
  const third = await api.retrieveMultiple(request, second.oDataNextLink);
  assert.deepEqual(totals(third.value), [70]);
  assert.equal(third.oDataNextLink, undefined);
});

test("retrieveAll and countAll read every page", async () => {
  const request = { collection: "svc_gifts", select: ["svc_totalgift"], filter: ours, orderBy: ["svc_totalgift desc"], maxPageSize: 2 };
  assert.deepEqual(totals((await api.retrieveAll(request)).value), [...amounts].reverse());
  assert.equal(await api.countAll({ collection: "svc_gifts", filter: ours, select: ["svc_giftnum"] }), amounts.length);
  assert.equal(await connect({ maxPageSize: 3 }).countAll({ collection: "svc_gifts", filter: ours }), amounts.length);
});

test("count: of a set and of a filtered set", async () => {
  assert.equal(await api.count({ collection: "svc_gifts", filter: ours }), amounts.length);
  assert.equal(await api.count({ collection: "svc_gifts", filter: `${ours} and svc_totalgift lt 10` }), 0);
  assert.ok((await api.count({ collection: "svc_gifts" })) >= amounts.length);
});

test("annotations come with every row of a page", async () => {
  const page = await api.retrieveMultiple({
    collection: "svc_gifts",
    select: ["svc_totalgift", "svc_gifttype"],
    filter: ours,
    orderBy: ["svc_totalgift"],
    expand: [{ property: "svc_Fund1", select: ["svc_fundclass"] }],
    includeAnnotations: "*",
    maxPageSize: 2,
  });
  assert.deepEqual(
    page.value.map((row) => row.svc_totalgift_Formatted),
    ["$10.00", "$20.00"],
  );
  assert.equal(page.value[1].svc_gifttype_Formatted, "Gift");
  assert.equal(page.value[0].svc_Fund1.svc_fundclass_Formatted, "Operating");
});

test("expanded collections, with options of their own", async () => {
  const donor = await api.retrieve({
    collection: "svc_donors",
    key: ground.donor,
    select: ["svc_formaldefault", "svc_countofgifts"],
    expand: [
      {
        property: "svc_svc_donor_svc_gift_Donor",
        select: ["svc_totalgift"],
        filter: "svc_totalgift ge 50",
        orderBy: ["svc_totalgift desc"],
        top: 2,
      },
    ],
  });
  assert.equal(donor.svc_countofgifts, amounts.length);
  assert.deepEqual(totals(donor.svc_svc_donor_svc_gift_Donor), [70, 60]);
});

test("expanded rows of expanded rows, and rows by their related rows", async () => {
  const rows = await api.retrieveMultiple({
    collection: "svc_gifts",
    select: ["svc_totalgift"],
    filter: `${ours} and svc_Donor/svc_PrimaryContact/contactid eq ${ground.contact}`,
    orderBy: ["svc_totalgift"],
    expand: [{ property: "svc_Donor", select: ["svc_formaldefault"], expand: [{ property: "svc_PrimaryContact", select: ["fullname"] }] }],
    top: 1,
  });
  assert.equal(rows.value[0].svc_Donor.svc_PrimaryContact.fullname, ground.name);

  const donors = await api.retrieveMultiple({
    collection: "svc_donors",
    select: ["svc_formaldefault"],
    filter: `svc_donorid eq ${ground.donor} and svc_svc_donor_svc_gift_Donor/any(g:g/svc_totalgift gt 60)`,
  });
  assert.deepEqual(
    donors.value.map((d) => d.svc_donorid),
    [ground.donor],
  );
});

test("query functions of the platform", async () => {
  const count = (filter) => api.count({ collection: "svc_gifts", filter: `${ours} and ${filter}` });
  assert.equal(await count("Microsoft.Dynamics.CRM.In(PropertyName='svc_totalgift',PropertyValues=['10','20','1000'])"), 2);
  assert.equal(await count("Microsoft.Dynamics.CRM.On(PropertyName='svc_giftdate',PropertyValue='2026-03-01')"), amounts.length);
  assert.equal(await count("Microsoft.Dynamics.CRM.Between(PropertyName='svc_totalgift',PropertyValues=['30','50'])"), 3);
});

test("saved queries", async () => {
  const id = await api.create({
    collection: "savedqueries",
    data: { name: unique("Large gifts"), returnedtypecode: "svc_gift", querytype: 0, fetchxml: giftsOf(ground.donor, 'count="50"') },
  });
  const page = await api.retrieveMultiple({ collection: "svc_gifts", savedQuery: id });
  assert.deepEqual(totals(page.value), amounts);
});

test("the older versions serve the same rows, under their own links", async () => {
  for (const version of ["9.0", "9.1"]) {
    const older = connect({ dataApi: { version } });
    const page = await older.retrieveMultiple({ collection: "svc_gifts", select: ["svc_totalgift"], filter: ours, maxPageSize: 4 });
    assert.ok(page.oDataNextLink.includes(`/api/data/v${version}/`), page.oDataNextLink);
    assert.equal(await older.countAll({ collection: "svc_gifts", filter: ours }), amounts.length);
  }
});

test("text with quotes, percent and non-Latin letters in a filter", async () => {
  const name = `${unique("O'Brien & Søn")} 100% Ωmega #1`;
  const id = await api.create({ collection: "contacts", data: { lastname: name } });
  const found = await api.retrieveMultiple({
    collection: "contacts",
    select: ["lastname"],
    filter: `lastname eq '${name.replaceAll("'", "''")}'`,
  });
  assert.deepEqual(
    found.value.map((c) => [c.contactid, c.lastname]),
    [[id, name]],
  );
});

test("apply: sums by group", async () => {
  const sums = await api.retrieveMultiple({
    collection: "svc_gifts",
    apply: `filter(${ours})/groupby((_svc_donor_value),aggregate(svc_totalgift with sum as total,$count as gifts))`,
  });
  assert.deepEqual([sums.value.length, sums.value[0].total, sums.value[0].gifts], [1, 280, amounts.length]);
});

test("a URL above 2000 characters travels as a batched GET", async () => {
  const filter = `${ours} and (${Array.from({ length: 120 }, (_, n) => `svc_totalgift eq ${n}`).join(" or ")})`;
  assert.ok(filter.length > 2000);
  const page = await api.retrieveMultiple({
    collection: "svc_gifts",
    select: ["svc_totalgift"],
    filter,
    orderBy: ["svc_totalgift"],
    includeAnnotations: "*",
  });
  assert.deepEqual(totals(page.value), amounts);
  assert.equal(page.value[0].svc_totalgift_Formatted, "$10.00");

  const error = await refusal(api.retrieveMultiple({ collection: "svc_gifts", filter: `${filter} and nosuchcolumn eq 1` }));
  assert.deepEqual([error.status, error.code], [400, "0x80060888"]);
  assert.match(error.message, /nosuchcolumn/);
});

const giftsOf = (donor, options) => `<fetch ${options}>
  <entity name="svc_gift">
    <attribute name="svc_giftnum"/>
    <attribute name="svc_totalgift"/>
    <order attribute="svc_totalgift"/>
    <filter><condition attribute="svc_donor" operator="eq" value="${donor}"/></filter>
  </entity>
</fetch>`;

test("fetch pages by cookie", async () => {
  const fetchXml = giftsOf(ground.donor, 'count="3"');
  const first = await api.fetch({ collection: "svc_gifts", fetchXml, includeAnnotations: "*" });
  assert.deepEqual(totals(first.value), [10, 20, 30]);
  assert.equal(first.PagingInfo.nextPage, 2);
  assert.match(first.PagingInfo.cookie, /cookie page=/);
  const next = ({ nextPage, cookie }) =>
    api.fetch({ collection: "svc_gifts", fetchXml, includeAnnotations: "*", pageNumber: nextPage, pagingCookie: cookie });
  const second = await next(first.PagingInfo);
  assert.deepEqual(totals(second.value), [40, 50, 60]);
  const third = await next(second.PagingInfo);
  assert.deepEqual(totals(third.value), [70]);
  assert.equal(third.PagingInfo, undefined, "no cookie on the last page");
});

test("fetchAll reads every page and ends", async () => {
  for (const size of [2, amounts.length, 50]) {
    const all = await api.fetchAll({
      collection: "svc_gifts",
      fetchXml: giftsOf(ground.donor, `count="${size}"`),
      includeAnnotations: "*",
    });
    assert.deepEqual(totals(all.value), amounts, `pages of ${size}`);
  }
});

test("fetch: top, linked rows, aggregates", async () => {
  const top = await api.fetch({ collection: "svc_gifts", fetchXml: giftsOf(ground.donor, 'top="2"') });
  assert.deepEqual(totals(top.value), [10, 20]);

  const linked = await api.fetch({
    collection: "svc_gifts",
    fetchXml: `<fetch><entity name="svc_gift"><attribute name="svc_totalgift"/>
      <filter><condition attribute="svc_totalgift" operator="eq" value="70"/></filter>
      <link-entity name="svc_donor" from="svc_donorid" to="svc_donor" alias="giver"><attribute name="svc_formaldefault"/>
      <filter><condition attribute="svc_donorid" operator="eq" value="${ground.donor}"/></filter></link-entity></entity></fetch>`,
  });
  assert.equal(linked.value.length, 1);
  assert.equal(linked.value[0]["giver.svc_formaldefault"], ground.name);

  const sum = await api.fetch({
    collection: "svc_gifts",
    fetchXml: `<fetch aggregate="true"><entity name="svc_gift"><attribute name="svc_totalgift" aggregate="sum" alias="total"/>
      <attribute name="svc_giftid" aggregate="count" alias="gifts"/>
      <filter><condition attribute="svc_donor" operator="eq" value="${ground.donor}"/></filter></entity></fetch>`,
    includeAnnotations: "OData.Community.Display.V1.FormattedValue",
  });
  assert.deepEqual([sum.value[0].total, sum.value[0].gifts, sum.value[0].total_Formatted], [280, 7, "$280.00"]);
});

test("a long FetchXML travels as a batched GET", async () => {
  const values = Array.from({ length: 150 }, (_, n) => `<value>${n}</value>`).join("");
  const fetchXml = `<fetch count="3"><entity name="svc_gift"><attribute name="svc_totalgift"/><order attribute="svc_totalgift"/>
    <filter><condition attribute="svc_donor" operator="eq" value="${ground.donor}"/>
    <condition attribute="svc_totalgift" operator="in">${values}</condition></filter></entity></fetch>`;
  const all = await api.fetchAll({ collection: "svc_gifts", fetchXml, includeAnnotations: "*" });
  assert.deepEqual(totals(all.value), amounts);
});
