// @odata/client: a generic OData client that quotes GUID keys and signs in with client credentials.
import assert from "node:assert/strict";
import { test } from "node:test";
import odata from "@odata/client";
import { application, base, origin, refusal, token, unique } from "./foundation.mjs";

const { OData } = odata;
const client = OData.New4({
  serviceEndpoint: `${base}/`,
  commonHeaders: { Authorization: `Bearer ${token}`, Prefer: "return=representation" },
});
const contacts = client.getEntitySet("contacts");

test("create, retrieve, update, delete", async () => {
  const lastname = unique("Generic");
  const made = await contacts.create({ firstname: "Ann", lastname });
  assert.equal(made.fullname, `Ann ${lastname}`);
  await contacts.update(made.contactid, { jobtitle: "Auditor" });
  const read = await contacts.retrieve(made.contactid, client.newOptions().select(["jobtitle", "lastname"]));
  assert.deepEqual([read.jobtitle, read.lastname], ["Auditor", lastname]);
  await contacts.delete(made.contactid);
  const error = await refusal(contacts.retrieve(made.contactid));
  assert.match(error.message, /Does Not Exist/);
});

test("query: filter, order, top, count, find", async () => {
  const lastname = unique("Query");
  for (const firstname of ["Cid", "Abe", "Bea"]) await contacts.create({ firstname, lastname });
  const filter = client.newFilter().property("lastname").eqString(lastname);
  const options = client.newOptions().filter(filter).select(["firstname"]).orderby("firstname", "asc").top(2);
  assert.deepEqual(
    (await contacts.query(options)).map((c) => c.firstname),
    ["Abe", "Bea"],
  );
  assert.equal(await contacts.count(filter), 3);
  assert.deepEqual(
    (await contacts.find({ lastname, firstname: "Cid" })).map((c) => c.firstname),
    ["Cid"],
  );
});

test("functions and actions", async () => {
  const who = await client.functionImport("WhoAmI");
  assert.match(who.UserId, /^[0-9a-f-]{36}$/);
  const contact = await contacts.create({ lastname: unique("Member") });
  const lists = client.getEntitySet("lists");
  const list = await lists.create({ listname: unique("List"), type: false, createdfromcode: 4 });
  const added = await lists.action("Microsoft.Dynamics.CRM.AddMemberList", list.listid, { EntityId: contact.contactid });
  assert.match(added.Id, /^[0-9a-f-]{36}$/);
});

test("batch: reads and writes in order", async () => {
  const lastname = unique("Batch");
  const request = (options) => client.newBatchRequest({ withContentLength: true, ...options });
  const answers = await client.execBatchRequests([
    request({ collection: "contacts", method: "POST", entity: { firstname: "Dee", lastname } }),
    request({
      collection: "contacts",
      params: client.newOptions().filter(client.newFilter().property("lastname").eqString(lastname)).select(["firstname"]),
    }),
    request({ collection: "contacts", params: client.newOptions().filter("lastname eq 'nobody of this name'").top(1) }),
  ]);
  assert.deepEqual(
    answers.map((a) => a.status),
    [201, 200, 200],
  );
  assert.equal((await answers[0].json()).lastname, lastname);
  assert.deepEqual(
    (await answers[1].json()).value.map((c) => c.firstname),
    ["Dee"],
  );
  assert.deepEqual((await answers[2].json()).value, []);
});

for (const tokenRetrieveType of ["header", "form"]) {
  test(`client credentials in the ${tokenRetrieveType}`, async () => {
    const credential = {
      tokenUrl: `${origin}/oauth2/v2.0/token`,
      clientId: application.id,
      clientSecret: application.secret,
      tokenRetrieveType,
    };
    const signed = OData.New4({ serviceEndpoint: `${base}/`, credential });
    const who = await signed.functionImport("WhoAmI");
    assert.match(who.UserId, /^[0-9a-f-]{36}$/);
  });
}
