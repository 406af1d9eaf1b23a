// odata (o.js): a generic OData client that sends plus signs for blanks and batches with its own boundaries.
import assert from "node:assert/strict";
import { test } from "node:test";
import odata from "odata";
import { base, refusal, token, unique } from "./foundation.mjs";

const handler = (config = {}) =>
  odata.o(`${base}/`, {
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Prefer: "return=representation" },
    ...config,
  });

const made = async (row) => handler().post("contacts", row).query();

test("create, read, update, delete", async () => {
  const lastname = unique("Fluent");
  const contact = await made({ firstname: "Eve", lastname });
  assert.equal(contact.fullname, `Eve ${lastname}`);
  await handler().patch(`contacts(${contact.contactid})`, { jobtitle: "Usher" }).query();
  const read = await handler().get(`contacts(${contact.contactid})`).query({ $select: "jobtitle" });
  assert.equal(read.jobtitle, "Usher");
  await handler().delete(`contacts(${contact.contactid})`).query();
  const answer = await refusal(handler().get(`contacts(${contact.contactid})`).query());
  assert.equal(answer.status, 404);
});

test("query options, the service document and a count", async () => {
  const lastname = `${unique("Plus")} + & '' sign`;
  for (const firstname of ["Gus", "Fay"]) await made({ firstname, lastname: lastname.replaceAll("''", "'") });
  const rows = await handler()
    .get("contacts")
    .query({ $filter: `lastname eq '${lastname}'`, $select: "firstname", $orderby: "firstname asc", $top: 5 });
  assert.deepEqual(
    rows.map((c) => c.firstname),
    ["Fay", "Gus"],
  );
  const sets = await handler().get("").query();
  assert.ok(sets.some((set) => set.name === "svc_gifts"));
  const count = await handler().get("contacts/$count").query();
  assert.ok(Number(count) >= 2);
});

test("batch: with and without a change set", async () => {
  for (const useChangset of [false, true]) {
    const lastname = unique("Batched");
    const o = handler({
      batch: {
        useChangset,
        endpoint: "$batch",
        boundaryPrefix: "batch_",
        changsetBoundaryPrefix: "changset_",
        useRelativeURLs: false,
        headers: new Headers({ Authorization: `Bearer ${token}` }),
      },
    });
    const answers = await o.post("contacts", { firstname: "Hal", lastname }).post("contacts", { firstname: "Ivy", lastname }).batch();
    assert.deepEqual(
      answers.map((a) => a.status),
      [201, 201],
    );
    assert.deepEqual(
      answers.map((a) => a.body.firstname),
      ["Hal", "Ivy"],
    );
    const rows = await handler()
      .get("contacts")
      .query({ $filter: `lastname eq '${lastname}'`, $select: "firstname" });
    assert.equal(rows.length, 2);
  }
});
