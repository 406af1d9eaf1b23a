// dynamics-web-api: batches, change sets and Content-ID references.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { cashGift, colleague, connect, foundation, refusal, unique } from "./foundation.mjs";

const api = connect();
let ground;
before(async () => {
  ground = await foundation();
});

const find = async (lastname) =>
  (await api.retrieveMultiple({ collection: "contacts", select: ["contactid"], filter: `lastname eq '${lastname}'` })).value;

test("reads in one batch answer in order", async () => {
  api.startBatch();
  api.retrieve({ collection: "contacts", key: ground.contact, select: ["fullname"] });
  api.retrieveMultiple({ collection: "svc_funds", select: ["svc_fundname"], filter: `svc_fundid eq ${ground.fund}`, count: true });
  api.count({ collection: "contacts" });
  api.count({ collection: "contacts", filter: `contactid eq ${ground.contact}` });
  api.fetch({ collection: "contacts", fetchXml: `<fetch top="1"><entity name="contact"><attribute name="fullname"/></entity></fetch>` });
  api.callFunction("WhoAmI");
  const [contact, funds, all, one, fetched, who] = await api.executeBatch();
  assert.equal(contact.contactid, ground.contact);
  assert.deepEqual([funds.value[0].svc_fundid, funds.oDataCount], [ground.fund, 1]);
  assert.ok(Number.isInteger(all) && all >= 1, `a count, not ${all}`);
  assert.equal(one, 1);
  assert.equal(fetched.value.length, 1);
  assert.match(who.UserId, /^[0-9a-f-]{36}$/);
});

test("a change set: later parts point at earlier ones", async () => {
  const name = unique("Batch");
  api.startBatch();
  api.create({ collection: "contacts", data: { firstname: "Noor", lastname: name }, contentId: "1" });
  api.create({ collection: "svc_donors", data: { svc_formaldefault: name, "svc_PrimaryContact@odata.bind": "$1" }, contentId: "2" });
  api.create({ collection: "svc_gifts", data: cashGift(ground, 90, { "svc_Donor@odata.bind": "$2" }), contentId: "3" });
  const [contact, donor, gift] = await api.executeBatch();

  const row = await api.retrieve({
    collection: "svc_gifts",
    key: gift,
    select: ["svc_totalgift", "_svc_donor_value"],
    expand: [{ property: "svc_Donor", select: ["_svc_primarycontact_value", "svc_countofgifts"] }],
  });
  assert.equal(row._svc_donor_value, donor);
  assert.equal(row.svc_Donor._svc_primarycontact_value, contact);
  assert.equal(row.svc_Donor.svc_countofgifts, 1);
});

test("a change set: references in URLs and associations", async () => {
  const name = unique("Reference");
  api.startBatch();
  api.create({ collection: "lists", data: { listname: name, type: false, createdfromcode: 4 }, contentId: "list" });
  api.create({ collection: "contacts", data: { lastname: name }, contentId: "person" });
  api.associate({ contentId: "$list", relationshipName: "listcontact_association", relatedKey: "$person" });
  api.update({ contentId: "$person", data: { jobtitle: "Member" } });
  api.create({ collection: "svc_donors", data: { svc_formaldefault: name }, contentId: "donor" });
  api.associateSingleValued({ contentId: "$donor", navigationProperty: "svc_PrimaryContact", relatedKey: "$person" });
  const [list, person, , , donor] = await api.executeBatch();

  const members = await api.retrieve({
    collection: "lists",
    key: list,
    navigationProperty: "listmember_association",
    select: ["jobtitle"],
  });
  assert.deepEqual(
    members.value.map((m) => [m.contactid, m.jobtitle]),
    [[person, "Member"]],
  );
  const row = await api.retrieve({ collection: "svc_donors", key: donor, select: ["_svc_primarycontact_value"] });
  assert.equal(row._svc_primarycontact_value, person);
});

test("a change set stands or falls as a whole", async () => {
  const name = unique("Rollback");
  api.startBatch();
  api.create({ collection: "contacts", data: { lastname: name } });
  api.create({ collection: "contacts", data: { lastname: name, nosuchcolumn: true } });
  api.create({ collection: "contacts", data: { lastname: name } });
  const answers = await refusal(api.executeBatch());
  assert.equal(answers.length, 1, "the change set has one answer");
  assert.deepEqual([answers[0].status, answers[0].error.code], [400, "0x80048d19"]);
  assert.match(answers[0].error.message, /nosuchcolumn/);
  assert.deepEqual(await find(name), []);
});

test("a reference to nothing is refused", async () => {
  const name = unique("Dangling");
  api.startBatch();
  api.create({ collection: "contacts", data: { lastname: name }, contentId: "1" });
  api.create({ collection: "svc_donors", data: { svc_formaldefault: name, "svc_PrimaryContact@odata.bind": "$9" }, contentId: "2" });
  const [answer] = [await refusal(api.executeBatch())].flat();
  assert.equal(answer.status, 400);
  assert.match(answer.error?.message ?? answer.message, /\$9/);
  assert.deepEqual(await find(name), []);
});

test("without continue-on-error a batch stops at the first failure", async () => {
  const name = unique("Stop");
  api.startBatch();
  api.create({ collection: "contacts", data: { lastname: name, jobtitle: "first" }, inChangeSet: false });
  api.retrieve({ collection: "contacts", key: randomUUID(), select: ["fullname"] });
  api.create({ collection: "contacts", data: { lastname: name, jobtitle: "second" }, inChangeSet: false });
  const answers = await refusal(api.executeBatch());
  assert.equal(answers.length, 2);
  assert.deepEqual([answers[1].status, answers[1].error.code], [404, "0x80040217"]);
  assert.equal((await find(name)).length, 1);
});

test("with continue-on-error every part is answered", async () => {
  const name = unique("Continue");
  api.startBatch();
  api.create({ collection: "contacts", data: { lastname: name }, inChangeSet: false });
  api.retrieve({ collection: "contacts", key: randomUUID(), select: ["fullname"] });
  api.update({ collection: "contacts", key: ground.contact, data: { nosuchcolumn: 1 } });
  api.create({ collection: "contacts", data: { lastname: name }, inChangeSet: false });
  const answers = await api.executeBatch({ continueOnError: true });
  assert.equal(answers.length, 4);
  assert.match(answers[0], /^[0-9a-f-]{36}$/);
  assert.deepEqual([answers[1].status, answers[1].error.code], [404, "0x80040217"]);
  assert.deepEqual([answers[2].status, answers[2].error.code], [400, "0x80048d19"]);
  assert.match(answers[3], /^[0-9a-f-]{36}$/);
  assert.equal((await find(name)).length, 2);
});

test("all kinds of writes in one change set", async () => {
  const name = unique("Writes");
  const id = await api.create({ collection: "contacts", data: { lastname: name, jobtitle: "Old", department: "Old" } });
  const doomed = await api.create({ collection: "contacts", data: { lastname: name } });
  const upserted = randomUUID();
  api.startBatch();
  api.update({ collection: "contacts", key: id, data: { jobtitle: "New" } });
  api.updateSingleProperty({ collection: "contacts", key: id, fieldValuePair: { nickname: "Nick" } });
  api.deleteRecord({ collection: "contacts", key: id, property: "department" });
  api.deleteRecord({ collection: "contacts", key: doomed });
  api.upsert({ collection: "contacts", key: upserted, data: { lastname: name } });
  api.retrieve({ collection: "contacts", key: id, select: ["jobtitle", "nickname", "department"] });
  const answers = await api.executeBatch();
  const row = answers.at(-1);
  assert.deepEqual([row.jobtitle, row.nickname, row.department], ["New", "Nick", null]);
  assert.deepEqual((await find(name)).map((c) => c.contactid).sort(), [id, upserted].sort());
});

test("representations, annotations and text beyond ASCII inside a batch", async () => {
  const name = `${unique("Łódź")} {braces}`;
  api.startBatch();
  api.create({
    collection: "contacts",
    data: { lastname: name },
    returnRepresentation: true,
    select: ["lastname", "statecode"],
    includeAnnotations: "*",
  });
  api.retrieve({ collection: "contacts", key: ground.contact, select: ["statecode", "createdon"], includeAnnotations: "*" });
  const [made, read] = await api.executeBatch();
  assert.deepEqual([made.lastname, made.statecode_Formatted], [name, "Active"]);
  assert.equal(read.statecode_Formatted, "Active");
  assert.ok(read.createdon instanceof Date);
});

test("a batch on behalf of another", async () => {
  const name = unique("Behalf");
  const other = connect({ impersonate: colleague });
  other.startBatch();
  other.create({ collection: "contacts", data: { lastname: name } });
  other.callFunction("WhoAmI");
  const [id, who] = await other.executeBatch();
  assert.equal(who.UserId, colleague);
  const row = await api.retrieve({ collection: "contacts", key: id, select: ["_createdby_value"] });
  assert.equal(row._createdby_value, colleague);
});

test("a batch of more than a thousand parts is refused", async () => {
  api.startBatch();
  for (let n = 0; n <= 1000; n++) api.callFunction("WhoAmI");
  const error = await refusal(api.executeBatch());
  assert.equal(error.status, 400);
  assert.match(error.message, /1000/);
});

test("a hundred gifts in one change set", async () => {
  api.startBatch();
  for (let n = 0; n < 100; n++) api.create({ collection: "svc_gifts", data: cashGift(ground, 1) });
  const ids = await api.executeBatch();
  assert.equal(new Set(ids).size, 100);
});
