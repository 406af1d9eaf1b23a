// dynamics-web-api: creating, reading, changing and deleting single rows.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { cashGift, colleague, connect, foundation, refusal, unique } from "./foundation.mjs";

const api = connect();
let ground;
before(async () => {
  ground = await foundation();
});

const newContact = (extra = {}) => api.create({ collection: "contacts", data: { firstname: "Ben", lastname: unique("Okoro"), ...extra } });

test("create answers the id", async () => {
  const id = await newContact();
  assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});

test("create with representation answers the selected columns", async () => {
  const gift = await api.create({
    collection: "svc_gifts",
    data: cashGift(ground, 250.5),
    returnRepresentation: true,
    select: ["svc_giftnum", "svc_totalgift", "_svc_donor_value"],
  });
  assert.equal(gift.svc_totalgift, 250.5);
  assert.equal(gift._svc_donor_value, ground.donor);
  assert.ok(gift.svc_giftid);
  assert.equal(gift.svc_amount1, undefined);
});

test("create of a row with its related row", async () => {
  const name = unique("Santos");
  const id = await api.create({
    collection: "svc_donors",
    data: { svc_formaldefault: name, svc_PrimaryContact: { firstname: "Lia", lastname: name } },
  });
  const donor = await api.retrieve({
    collection: "svc_donors",
    key: id,
    select: ["svc_formaldefault"],
    expand: [{ property: "svc_PrimaryContact", select: ["fullname"] }],
  });
  assert.equal(donor.svc_PrimaryContact.fullname, `Lia ${name}`);
});

test("retrieve: columns, expanded rows, a navigation property, a reference", async () => {
  const id = await api.create({ collection: "svc_gifts", data: cashGift(ground, 75) });
  const gift = await api.retrieve({
    collection: "svc_gifts",
    key: id,
    select: ["svc_giftnum", "svc_giftdate", "createdon"],
    expand: [
      { property: "svc_Donor", select: ["svc_formaldefault"] },
      { property: "svc_Fund1", select: ["svc_fundname"] },
    ],
  });
  assert.equal(gift.svc_giftdate, "2026-03-01");
  assert.ok(gift.createdon instanceof Date, "a date and time without fractions is revived");
  assert.equal(gift.svc_Donor.svc_formaldefault, ground.name);
  assert.equal(gift.svc_Fund1.svc_fundid, ground.fund);

  const donor = await api.retrieve({ collection: "svc_gifts", key: id, navigationProperty: "svc_Donor", select: ["svc_formaldefault"] });
  assert.equal(donor.svc_donorid, ground.donor);

  const reference = await api.retrieve({ collection: "svc_gifts", key: id, select: ["svc_Donor/$ref"] });
  assert.deepEqual([reference.collection, reference.id], ["svc_donors", ground.donor]);
});

test("retrieve takes ids in capitals and braces", async () => {
  const id = await newContact();
  const contact = await api.retrieve({ collection: "contacts", key: `{${id.toUpperCase()}}`, select: ["fullname"] });
  assert.equal(contact.contactid, id);
});

test("retrieve with the current tag answers nothing", async () => {
  const id = await newContact();
  const contact = await api.retrieve({ collection: "contacts", key: id, select: ["fullname"] });
  const again = (ifnonematch) => api.retrieve({ collection: "contacts", key: id, select: ["fullname"], ifnonematch });
  assert.equal(await again(contact["@odata.etag"]), undefined);
  assert.equal((await again('W/"1"')).contactid, id);
});

test("annotations: labels, names and formatted values", async () => {
  const id = await api.create({ collection: "svc_gifts", data: cashGift(ground, 1234.5) });
  const gift = await api.retrieve({
    collection: "svc_gifts",
    key: id,
    select: ["svc_totalgift", "svc_gifttype", "svc_giftdate", "_svc_donor_value", "statecode"],
    includeAnnotations: "*",
  });
  assert.equal(gift.svc_totalgift_Formatted, "$1,234.50");
  assert.equal(gift.svc_gifttype_Formatted, "Gift");
  assert.equal(gift.svc_giftdate_Formatted, "3/1/2026");
  assert.equal(gift.statecode_Formatted, "Active");
  assert.equal(gift._svc_donor_value_Formatted, ground.name);
  assert.equal(gift._svc_donor_value_LogicalName, "svc_donor");
  assert.equal(gift._svc_donor_value_NavigationProperty, "svc_Donor");

  const labels = await api.retrieve({
    collection: "svc_gifts",
    key: id,
    select: ["svc_gifttype", "_svc_donor_value"],
    includeAnnotations: "OData.Community.Display.V1.FormattedValue",
  });
  assert.equal(labels.svc_gifttype_Formatted, "Gift");
  assert.equal(labels._svc_donor_value_LogicalName, undefined, "only what was asked for");
});

test("update changes the columns sent and no others", async () => {
  const id = await newContact({ jobtitle: "Treasurer", emailaddress1: "ben@example.org" });
  assert.equal(await api.update({ collection: "contacts", key: id, data: { jobtitle: "Chair" } }), true);
  const contact = await api.retrieve({ collection: "contacts", key: id, select: ["jobtitle", "emailaddress1"] });
  assert.deepEqual([contact.jobtitle, contact.emailaddress1], ["Chair", "ben@example.org"]);
});

test("update with representation, of a lookup, and of nothing", async () => {
  const id = await api.create({ collection: "svc_gifts", data: cashGift(ground, 40) });
  const payor = await newContact();
  const gift = await api.update({
    collection: "svc_gifts",
    key: id,
    data: { svc_purpose: "Library", "svc_Payor@odata.bind": `contacts(${payor})` },
    returnRepresentation: true,
    select: ["svc_purpose", "_svc_payor_value"],
  });
  assert.deepEqual([gift.svc_purpose, gift._svc_payor_value], ["Library", payor]);

  const error = await refusal(api.update({ collection: "contacts", key: randomUUID(), data: { jobtitle: "Nobody" } }));
  assert.deepEqual([error.status, error.code], [404, "0x80040217"]);
});

test("update and delete with a stale tag answer false", async () => {
  const id = await newContact();
  const stale = (await api.retrieve({ collection: "contacts", key: id, select: ["fullname"] }))["@odata.etag"];
  assert.equal(await api.update({ collection: "contacts", key: id, data: { jobtitle: "Clerk" }, ifmatch: stale }), true);
  assert.equal(await api.update({ collection: "contacts", key: id, data: { jobtitle: "Cook" }, ifmatch: stale }), false);
  assert.equal(await api.deleteRecord({ collection: "contacts", key: id, ifmatch: stale }), false);

  const contact = await api.retrieve({ collection: "contacts", key: id, select: ["jobtitle"] });
  assert.equal(contact.jobtitle, "Clerk");
  assert.equal(await api.deleteRecord({ collection: "contacts", key: id, ifmatch: contact["@odata.etag"] }), true);
});

test("upsert creates, updates, and does only the one it is told to", async () => {
  const id = randomUUID();
  const upsert = (jobtitle, conditions = {}) =>
    api.upsert({ collection: "contacts", key: id, data: { lastname: "Weiss", jobtitle }, ...conditions });
  const jobtitle = async () => (await api.retrieve({ collection: "contacts", key: id, select: ["jobtitle"] })).jobtitle;

  assert.equal(await upsert("A", { ifmatch: "*" }), null, "update only: the row is not there");
  assert.equal(await upsert("B"), id);
  assert.equal(await jobtitle(), "B");
  assert.equal(await upsert("C"), id);
  assert.equal(await jobtitle(), "C");
  assert.equal(await upsert("D", { ifnonematch: "*" }), null, "create only: the row is there");
  assert.equal(await jobtitle(), "C");

  const other = await api.upsert({
    collection: "contacts",
    key: randomUUID(),
    data: { lastname: "Weiss" },
    returnRepresentation: true,
    select: ["lastname"],
  });
  assert.equal(other.lastname, "Weiss");
});

test("upsert is refused where the table has none", async () => {
  const error = await refusal(api.upsert({ collection: "svc_gifts", key: randomUUID(), data: cashGift(ground, 10) }));
  assert.deepEqual([error.status, error.code], [404, "0x80040217"]);
  const key = await refusal(api.upsert({ collection: "svc_gifts", key: "svc_giftnum='G-1'", data: cashGift(ground, 10) }));
  assert.deepEqual([key.status, key.code], [400, "0x80060888"]);
});

test("a single column: set, read, cleared", async () => {
  const id = await newContact({ jobtitle: "Trustee" });
  assert.equal(await api.updateSingleProperty({ collection: "contacts", key: id, fieldValuePair: { jobtitle: "Envoy" } }), id);
  const read = async () => (await api.retrieve({ collection: "contacts", key: id, select: ["jobtitle"] })).jobtitle;
  assert.equal(await read(), "Envoy");
  const property = await api.retrieve({ collection: "contacts", key: id, select: ["/jobtitle"] });
  assert.equal(property.value, "Envoy");
  assert.equal(await api.deleteRecord({ collection: "contacts", key: id, property: "jobtitle" }), true);
  assert.equal(await read(), null);
});

test("delete removes the row", async () => {
  const id = await newContact();
  assert.equal(await api.deleteRecord({ collection: "contacts", key: id }), true);
  assert.equal((await refusal(api.retrieve({ collection: "contacts", key: id }))).status, 404);
  assert.equal((await refusal(api.deleteRecord({ collection: "contacts", key: id }))).status, 404);
});

test("single-valued navigation: associate and disassociate", async () => {
  const id = await api.create({ collection: "svc_gifts", data: cashGift(ground, 15) });
  const payor = async () => (await api.retrieve({ collection: "svc_gifts", key: id, select: ["_svc_payor_value"] }))._svc_payor_value;
  await api.associateSingleValued({
    collection: "svc_gifts",
    primaryKey: id,
    navigationProperty: "svc_Payor",
    relatedCollection: "contacts",
    relatedKey: ground.contact,
  });
  assert.equal(await payor(), ground.contact);
  await api.disassociateSingleValued({ collection: "svc_gifts", primaryKey: id, navigationProperty: "svc_Payor" });
  assert.equal(await payor(), null);
});

test("collection navigation: associate and disassociate", async () => {
  const list = await api.create({ collection: "lists", data: { listname: unique("Friends"), type: false, createdfromcode: 4 } });
  const members = async () =>
    (await api.retrieveMultiple({ collection: `lists(${list})/listcontact_association`, select: ["fullname"] })).value.map(
      (c) => c.contactid,
    );
  const link = { collection: "lists", primaryKey: list, relationshipName: "listcontact_association", relatedKey: ground.contact };
  await api.associate({ ...link, relatedCollection: "contacts" });
  assert.deepEqual(await members(), [ground.contact]);
  await api.disassociate(link);
  assert.deepEqual(await members(), []);

  const gift = await api.create({ collection: "svc_gifts", data: cashGift(ground, 20) });
  const donor = await api.create({ collection: "svc_donors", data: { svc_formaldefault: unique("New Donor") } });
  const nav = "svc_svc_donor_svc_gift_Donor";
  await api.associate({
    collection: "svc_donors",
    primaryKey: donor,
    relationshipName: nav,
    relatedCollection: "svc_gifts",
    relatedKey: gift,
  });
  const gifts = await api.retrieve({ collection: "svc_donors", key: donor, navigationProperty: nav, select: ["svc_giftnum"] });
  assert.deepEqual(
    gifts.value.map((g) => g.svc_giftid),
    [gift],
  );
});

test("a lookup to either of two tables", async () => {
  const request = await api.create({ collection: "svc_requests", data: { svc_grantname: unique("Request") } });
  const account = await api.create({ collection: "accounts", data: { name: unique("Grantee") } });
  const pay = (payee) => ({
    svc_amount: 10,
    "svc_RequestLookup@odata.bind": `/svc_requests(${request})`,
    "svc_Fund@odata.bind": `/svc_funds(${ground.fund})`,
    ...payee,
  });
  const payee = async (bind) => {
    const id = await api.create({ collection: "svc_requestpayments", data: pay(bind) });
    const row = await api.retrieve({ collection: "svc_requestpayments", key: id, select: ["_svc_payee_value"], includeAnnotations: "*" });
    return [row._svc_payee_value, row._svc_payee_value_LogicalName];
  };
  assert.deepEqual(await payee({ "svc_Payee_account@odata.bind": `/accounts(${account})` }), [account, "account"]);
  assert.deepEqual(await payee({ "svc_Payee_contact@odata.bind": `/contacts(${ground.contact})` }), [ground.contact, "contact"]);
  assert.deepEqual(await payee({ "svc_Payee@odata.bind": `/accounts(${account})` }), [account, "account"]);
});

test("thirty writers at once lose nothing", async () => {
  const here = await foundation();
  const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => api.create({ collection: "svc_gifts", data: cashGift(here, n + 1) })));
  assert.equal(new Set(ids).size, 30);
  const donor = await api.retrieve({ collection: "svc_donors", key: here.donor, select: ["svc_countofgifts"] });
  assert.equal(donor.svc_countofgifts, 30);
});

test("headers that ask for nothing here are taken", async () => {
  const id = await api.create({
    collection: "contacts",
    data: { lastname: unique("Header") },
    duplicateDetection: true,
    bypassCustomPluginExecution: true,
    noCache: true,
  });
  const contact = await api.retrieve({
    collection: "contacts",
    key: id,
    select: ["lastname"],
    noCache: true,
    headers: { "If-None-Match": "null" },
  });
  assert.equal(contact.contactid, id);
});

test("impersonation: who created, on whose behalf", async () => {
  const me = (await api.callFunction("WhoAmI")).UserId;
  const who = await connect({ impersonate: colleague }).callFunction("WhoAmI");
  assert.equal(who.UserId, colleague);

  const id = await api.create({ collection: "contacts", data: { lastname: unique("Behalf") }, impersonate: colleague });
  const row = await api.retrieve({
    collection: "contacts",
    key: id,
    select: ["_createdby_value", "_createdonbehalfby_value", "_ownerid_value"],
  });
  assert.deepEqual([row._createdby_value, row._createdonbehalfby_value, row._ownerid_value], [colleague, me, colleague]);

  const objectId = randomUUID();
  await api.update({ collection: "systemusers", key: colleague, data: { azureactivedirectoryobjectid: objectId } });
  const byObject = await api.callFunction({ name: "WhoAmI", impersonateAAD: objectId });
  assert.equal(byObject.UserId, colleague);

  const error = await refusal(api.callFunction({ name: "WhoAmI", impersonate: randomUUID() }));
  assert.equal(error.status, 403);
});

test("refusals carry message, code and status", async () => {
  const cases = [
    [() => api.create({ collection: "contacts", data: { nosuchcolumn: 1 } }), 400, "0x80048d19", /nosuchcolumn/],
    [() => api.create({ collection: "svc_gifts", data: cashGift(ground, 5, { svc_gifttype: 7 }) }), 400, null, /svc_gifttype/],
    [() => api.retrieve({ collection: "contacts", key: randomUUID() }), 404, "0x80040217", /Does Not Exist/],
    [() => api.retrieveMultiple({ collection: "nosuchset" }), 404, null, /nosuchset/],
    [() => api.retrieveMultiple({ collection: "contacts", filter: "nosuchcolumn eq 1" }), 400, "0x80060888", /nosuchcolumn/],
    [() => connect({ onTokenRefresh: async () => "not a token" }).callFunction("WhoAmI"), 401, null, /./],
  ];
  for (const [call, status, code, message] of cases) {
    const error = await refusal(call());
    assert.ok(error instanceof Error);
    assert.equal(error.status, status, error.message);
    if (code) assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    assert.equal(typeof error.innererror?.message, "string");
    assert.equal(typeof error.innererror?.trace, "string");
  }
});
