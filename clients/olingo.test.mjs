// odatajs, Apache Olingo's JavaScript client: JSON, $batch with Content-IDs among the inner headers, and its own reader of $metadata.
import assert from "node:assert/strict";
import { test } from "node:test";
import odatajs from "odatajs/index.js";
import { base, refusal, token, unique } from "./foundation.mjs";

const { oData } = odatajs;

const request = (options, handler) =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}`, ...options.headers };
    oData.request({ method: "GET", ...options, headers }, (data, response) => resolve({ data, response }), reject, handler);
  });

test("create, read, update, delete", async () => {
  const lastname = unique("Olingo");
  const { data: contact } = await request({
    requestUri: `${base}/contacts`,
    method: "POST",
    headers: { Prefer: "return=representation" },
    data: { firstname: "Kim", lastname },
  });
  assert.equal(contact.fullname, `Kim ${lastname}`);
  const requestUri = `${base}/contacts(${contact.contactid})`;
  await request({ requestUri, method: "PATCH", data: { jobtitle: "Scribe" } });
  const { data: read } = await request({ requestUri: `${requestUri}?$select=jobtitle` });
  assert.equal(read.jobtitle, "Scribe");
  await request({ requestUri, method: "DELETE" });
  const error = await refusal(request({ requestUri }));
  assert.equal(error.response.statusCode, 404);
});

test("a filtered collection", async () => {
  const lastname = unique("Filter");
  for (const firstname of ["Max", "Lou"]) await request({ requestUri: `${base}/contacts`, method: "POST", data: { firstname, lastname } });
  const filter = encodeURIComponent(`lastname eq '${lastname}'`);
  const { data } = await request({ requestUri: `${base}/contacts?$filter=${filter}&$orderby=firstname&$select=firstname&$count=true` });
  assert.deepEqual(
    data.value.map((c) => c.firstname),
    ["Lou", "Max"],
  );
  assert.equal(data["@odata.count"], 2);
});

test("a batch with a change set and references", async () => {
  const lastname = unique("Batch");
  const batch = {
    __batchRequests: [
      {
        __changeRequests: [
          { requestUri: "contacts", method: "POST", headers: { "Content-ID": "1", Prefer: "return=representation" }, data: { lastname } },
          {
            requestUri: "svc_donors",
            method: "POST",
            headers: { "Content-ID": "2" },
            data: { svc_formaldefault: lastname, "svc_PrimaryContact@odata.bind": "$1" },
          },
          { requestUri: "$1", method: "PATCH", headers: { "Content-ID": "3" }, data: { jobtitle: "Linked" } },
        ],
      },
      { requestUri: `contacts?$filter=lastname eq '${lastname}'&$select=jobtitle`, method: "GET" },
    ],
  };
  const { data } = await request({ requestUri: `${base}/$batch`, method: "POST", data: batch }, oData.batch.batchHandler);
  const [changes, read] = data.__batchResponses;
  assert.deepEqual(
    changes.__changeResponses.map((r) => r.statusCode),
    ["201", "204", "204"],
  );
  assert.equal(changes.__changeResponses[0].data.lastname, lastname);
  assert.deepEqual(
    read.data.value.map((c) => c.jobtitle),
    ["Linked"],
  );
});

test("the metadata is read whole", async () => {
  const { data } = await request({ requestUri: `${base}/$metadata` }, oData.metadataHandler);
  const [schema] = data.dataServices.schema;
  assert.equal(schema.namespace, "Microsoft.Dynamics.CRM");
  const gift = schema.entityType.find((type) => type.name === "svc_gift");
  assert.equal(gift.key[0].propertyRef[0].name, "svc_giftid");
  assert.ok(gift.navigationProperty.some((nav) => nav.name === "svc_Donor"));
  assert.ok(schema.entityContainer.entitySet.some((set) => set.name === "svc_gifts"));
});
