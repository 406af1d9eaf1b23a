// dynamics-web-api: functions and actions, bound and unbound.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { cashGift, colleague, connect, foundation, refusal, unique } from "./foundation.mjs";

const api = connect();
let ground;
before(async () => {
  ground = await foundation();
});

const entity = (table, key, id) => ({ "@odata.type": `Microsoft.Dynamics.CRM.${table}`, [key]: id });
const newList = (extra = {}) =>
  api.create({ collection: "lists", data: { listname: unique("List"), type: false, createdfromcode: 4, ...extra } });
const newContact = () => api.create({ collection: "contacts", data: { lastname: unique("Member") } });

async function members(list) {
  const page = await api.retrieve({ collection: "lists", key: list, navigationProperty: "listmember_association", select: ["fullname"] });
  return page.value.map((contact) => contact.contactid).sort();
}

test("functions without parameters", async () => {
  const who = await api.callFunction("WhoAmI");
  for (const id of [who.UserId, who.BusinessUnitId, who.OrganizationId]) assert.match(id, /^[0-9a-f-]{36}$/);
  assert.match((await api.callFunction("RetrieveVersion")).Version, /^9\.2\.\d+\.\d+$/);
});

test("functions with a list, an enumeration and a text", async () => {
  const counts = await api.callFunction({ name: "RetrieveTotalRecordCount", parameters: { EntityNames: ["contact", "svc_fund"] } });
  const { Keys, Values } = counts.EntityRecordCountCollection;
  assert.deepEqual([...Keys].sort(), ["contact", "svc_fund"]);
  assert.ok(Values.every((n) => n >= 1));

  const organization = await api.callFunction({
    name: "RetrieveCurrentOrganization",
    parameters: { AccessType: "Microsoft.Dynamics.CRM.EndpointAccessType'Default'" },
  });
  assert.equal(organization.Detail.State, "Enabled");

  const held = await api.callFunction({
    collection: "systemusers",
    key: colleague,
    name: "Microsoft.Dynamics.CRM.RetrieveUserPrivilegeByPrivilegeName",
    parameters: { PrivilegeName: "prvReadsvc_gift" },
  });
  assert.equal(held.RolePrivileges[0].PrivilegeName, "prvReadsvc_gift");
});

test("functions that take a row", async () => {
  const gift = await api.create({ collection: "svc_gifts", data: cashGift(ground, 12) });
  const access = await api.callFunction({
    collection: "systemusers",
    key: colleague,
    name: "Microsoft.Dynamics.CRM.RetrievePrincipalAccess",
    parameters: { Target: { "@odata.id": `svc_gifts(${gift})` } },
  });
  assert.match(access.AccessRights, /ReadAccess/);

  await api.update({ collection: "svc_gifts", key: gift, data: { svc_purpose: "Library" } });
  const history = await api.callFunction({
    name: "RetrieveRecordChangeHistory",
    parameters: { Target: { "@odata.id": `svc_gifts(${gift})` } },
  });
  const [latest] = history.AuditDetailCollection.AuditDetails;
  assert.equal(latest.NewValue.svc_purpose, "Library");
});

test("members of a list: one, many, removed", async () => {
  const list = await newList();
  const people = [await newContact(), await newContact(), await newContact()].sort();
  const added = await api.callAction({
    collection: "lists",
    key: list,
    actionName: "Microsoft.Dynamics.CRM.AddMemberList",
    action: { EntityId: people[0] },
  });
  assert.match(added.Id, /^[0-9a-f-]{36}$/);
  await api.callAction({
    actionName: "AddListMembersList",
    action: { List: entity("list", "listid", list), Members: people.map((id) => entity("contact", "contactid", id)) },
  });
  assert.deepEqual(await members(list), people);
  await api.callAction({
    collection: "lists",
    key: list,
    actionName: "Microsoft.Dynamics.CRM.RemoveMembersList",
    action: { MemberIds: people.slice(1) },
  });
  assert.deepEqual(await members(list), [people[0]]);
  assert.equal((await api.retrieve({ collection: "lists", key: list, select: ["membercount"] })).membercount, 1);
});

test("a dynamic list is resolved on the fly and copied to a static one", async () => {
  const contact = await newContact();
  const query = `<fetch><entity name="contact"><attribute name="contactid"/>
    <filter><condition attribute="contactid" operator="eq" value="${contact}"/></filter></entity></fetch>`;
  const list = await newList({ type: true, query });
  assert.deepEqual(await members(list), [contact]);
  const copy = await api.callAction({ collection: "lists", key: list, actionName: "Microsoft.Dynamics.CRM.CopyDynamicListToStatic" });
  assert.equal(copy.type, false);
  assert.deepEqual(await members(copy.listid), [contact]);
});

test("a locked list refuses members", async () => {
  const list = await newList({ lockstatus: true });
  const error = await refusal(
    api.callAction({
      collection: "lists",
      key: list,
      actionName: "Microsoft.Dynamics.CRM.AddMemberList",
      action: { EntityId: ground.contact },
    }),
  );
  assert.deepEqual([error.status, error.code], [400, "0x80040302"]);
});

test("state and owner", async () => {
  const gift = await api.create({ collection: "svc_gifts", data: cashGift(ground, 33) });
  await api.callAction({
    collection: "svc_gifts",
    key: gift,
    actionName: "Microsoft.Dynamics.CRM.SetState",
    action: { State: 1, Status: 2 },
  });
  await api.callAction({
    collection: "svc_gifts",
    key: gift,
    actionName: "Microsoft.Dynamics.CRM.Assign",
    action: { Assignee: entity("systemuser", "systemuserid", colleague) },
  });
  const row = await api.retrieve({ collection: "svc_gifts", key: gift, select: ["statecode", "statuscode", "_ownerid_value"] });
  assert.deepEqual([row.statecode, row.statuscode, row._ownerid_value], [1, 2, colleague]);
});

test("bulk messages", async () => {
  const name = unique("Bulk");
  const target = (row) => ({ "@odata.type": "Microsoft.Dynamics.CRM.contact", ...row });
  const bulk = (actionName, Targets) =>
    api.callAction({ collection: "contacts", actionName: `Microsoft.Dynamics.CRM.${actionName}`, action: { Targets } });
  const { Ids } = await bulk(
    "CreateMultiple",
    [1, 2, 3].map((n) => target({ lastname: name, jobtitle: `${n}` })),
  );
  assert.equal(Ids.length, 3);
  await bulk(
    "UpdateMultiple",
    Ids.map((contactid) => target({ contactid, jobtitle: "Same" })),
  );
  assert.equal(await api.count({ collection: "contacts", filter: `lastname eq '${name}' and jobtitle eq 'Same'` }), 3);

  const error = await refusal(bulk("CreateMultiple", [target({ lastname: name }), target({ nosuchcolumn: 1 })]));
  assert.equal(error.status, 400);
  assert.equal(await api.count({ collection: "contacts", filter: `lastname eq '${name}'` }), 3);
});

test("actions inside a change set", async () => {
  const list = await newList();
  const contact = await newContact();
  api.startBatch();
  api.callAction({ collection: "lists", key: list, actionName: "Microsoft.Dynamics.CRM.AddMemberList", action: { EntityId: contact } });
  api.update({ collection: "lists", key: list, data: { purpose: "Mailing" } });
  await api.executeBatch();
  assert.deepEqual(await members(list), [contact]);
});

test("unknown operations and wrong parameters are refused", async () => {
  const unknown = await refusal(api.callFunction("NoSuchFunction"));
  assert.equal(unknown.status, 404);
  const wrong = await refusal(api.callAction({ actionName: "AddListMembersList", action: { NoSuchParameter: 1 } }));
  assert.deepEqual([wrong.status, wrong.code], [400, "0x80048d19"]);
});
