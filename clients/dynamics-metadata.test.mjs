// dynamics-web-api: what the service says about its tables.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect, refusal, unique } from "./foundation.mjs";

const api = connect();
const gift = "LogicalName='svc_gift'";
const cast = (name) => `Microsoft.Dynamics.CRM.${name}`;

test("retrieveEntities: names of every table, and one by filter", async () => {
  const all = await api.retrieveEntities({ select: ["LogicalName", "EntitySetName", "LogicalCollectionName"] });
  const sets = new Map(all.value.map((table) => [table.LogicalName, table.EntitySetName]));
  for (const [table, set] of [
    ["svc_gift", "svc_gifts"],
    ["contact", "contacts"],
    ["list", "lists"],
    ["campaignactivity", "campaignactivities"],
  ]) {
    assert.equal(sets.get(table), set);
  }
  assert.ok(
    all.value.every((table) => table.MetadataId),
    "MetadataId always comes along",
  );

  const one = await api.retrieveEntities({
    select: ["LogicalName", "PrimaryIdAttribute", "PrimaryNameAttribute"],
    filter: "LogicalName eq 'svc_fund'",
  });
  assert.deepEqual(
    one.value.map((t) => [t.PrimaryIdAttribute, t.PrimaryNameAttribute]),
    [["svc_fundid", "svc_fundname"]],
  );
});

test("retrieveEntity: by name and by id, with columns", async () => {
  const byName = await api.retrieveEntity({ key: gift, select: ["LogicalName", "OwnershipType", "ChangeTrackingEnabled", "DisplayName"] });
  assert.deepEqual([byName.OwnershipType, byName.ChangeTrackingEnabled], ["UserOwned", true]);
  assert.equal(byName.DisplayName.UserLocalizedLabel.Label, "Gift");
  const byId = await api.retrieveEntity({
    key: byName.MetadataId,
    select: ["LogicalName"],
    expand: [{ property: "Attributes", select: ["LogicalName", "AttributeType"] }],
  });
  assert.equal(byId.LogicalName, "svc_gift");
  assert.equal(byId.Attributes.find((c) => c.LogicalName === "svc_totalgift").AttributeType, "Money");
  assert.equal((await refusal(api.retrieveEntity({ key: "LogicalName='nosuchtable'" }))).status, 404);
});

test("retrieveAttributes: all, cast, filtered", async () => {
  const all = await api.retrieveAttributes({ entityKey: gift, select: ["LogicalName", "AttributeType"] });
  const types = new Map(all.value.map((c) => [c.LogicalName, c.AttributeType]));
  for (const [column, type] of [
    ["svc_giftid", "Uniqueidentifier"],
    ["svc_amount12", "Money"],
    ["svc_donor", "Lookup"],
    ["svc_giftdate", "DateTime"],
    ["ownerid", "Owner"],
  ]) {
    assert.equal(types.get(column), type, column);
  }
  const texts = await api.retrieveAttributes({
    entityKey: gift,
    castType: cast("StringAttributeMetadata"),
    select: ["LogicalName", "MaxLength"],
    filter: "LogicalName eq 'svc_giftnum'",
  });
  assert.deepEqual(
    texts.value.map((c) => [c.LogicalName, c.MaxLength]),
    [["svc_giftnum", 100]],
  );
  const lookups = await api.retrieveAttributes({
    entityKey: "LogicalName='svc_requestpayment'",
    castType: cast("LookupAttributeMetadata"),
    select: ["LogicalName", "Targets"],
  });
  assert.deepEqual(lookups.value.find((c) => c.LogicalName === "svc_payee").Targets.sort(), ["account", "contact"]);
});

test("retrieveAttribute: the options of a choice", async () => {
  const type = await api.retrieveAttribute({
    entityKey: gift,
    attributeKey: "LogicalName='svc_gifttype'",
    castType: cast("PicklistAttributeMetadata"),
    select: ["LogicalName"],
    expand: [{ property: "OptionSet", select: ["Options"] }],
  });
  const labels = new Map(type.OptionSet.Options.map((o) => [o.Value, o.Label.UserLocalizedLabel.Label]));
  assert.deepEqual([labels.get(730850001), labels.get(100000001)], ["Pledge", "Interfund"]);
});

test("retrieveRelationships and retrieveRelationship", async () => {
  const all = await api.retrieveRelationships({ select: ["SchemaName", "RelationshipType"] });
  const kinds = new Map(all.value.map((r) => [r.SchemaName, r.RelationshipType]));
  assert.equal(kinds.get("svc_svc_donor_svc_gift_Donor"), "OneToManyRelationship");
  assert.equal(kinds.get("listcontact_association"), "ManyToManyRelationship");

  const ones = await api.retrieveRelationships({
    castType: cast("OneToManyRelationshipMetadata"),
    select: ["SchemaName", "ReferencingEntityNavigationPropertyName"],
    filter: "ReferencingEntity eq 'svc_gift' and ReferencingAttribute eq 'svc_donor'",
  });
  assert.deepEqual(
    ones.value.map((r) => [r.SchemaName, r.ReferencingEntityNavigationPropertyName]),
    [["svc_svc_donor_svc_gift_Donor", "svc_Donor"]],
  );

  const { MetadataId } = all.value.find((r) => r.SchemaName === "listcontact_association");
  const pair = await api.retrieveRelationship({
    key: MetadataId,
    castType: cast("ManyToManyRelationshipMetadata"),
    select: ["Entity1LogicalName", "Entity2LogicalName", "IntersectEntityName"],
  });
  assert.deepEqual([pair.Entity1LogicalName, pair.Entity2LogicalName, pair.IntersectEntityName].sort(), ["contact", "list", "listmember"]);
});

test("retrieveGlobalOptionSets and retrieveGlobalOptionSet", async () => {
  const all = await api.retrieveGlobalOptionSets({ select: ["Name"] });
  assert.ok(all.value.some((set) => set.Name === "svc_giftpaymenttype"));
  const one = await api.retrieveGlobalOptionSet({
    key: "Name='svc_anonymity'",
    castType: cast("OptionSetMetadata"),
    select: ["Name", "Options"],
  });
  assert.deepEqual(
    one.Options.map((o) => o.Value),
    [730850000, 730850001, 730850002, 730850003],
  );
});

test("table names instead of set names", async () => {
  const named = connect({ useEntityNames: true });
  const lastname = unique("Entity");
  const contact = await named.create({ collection: "contact", data: { lastname } });
  const donor = await named.create({
    collection: "svc_donor",
    data: { svc_formaldefault: lastname, "svc_PrimaryContact@odata.bind": `contact(${contact})` },
  });
  const row = await named.retrieve({ collection: "svc_donor", key: donor, select: ["_svc_primarycontact_value"] });
  assert.equal(row._svc_primarycontact_value, contact);
  assert.equal(named.Utility.getCollectionName("campaignactivity"), "campaignactivities");
});

test("retrieveCsdlMetadata: plain and annotated", async () => {
  const plain = await api.retrieveCsdlMetadata();
  assert.match(plain, /<EntityType Name="svc_gift"/);
  const annotated = await api.retrieveCsdlMetadata({ addAnnotations: true });
  assert.ok(annotated.length > plain.length);
});

test("definitions are not edited", async () => {
  const { MetadataId } = await api.retrieveEntity({ key: gift, select: ["LogicalName"] });
  assert.equal((await refusal(api.updateEntity({ data: { MetadataId, LogicalName: "svc_gift" } }))).status, 405);
  assert.equal((await refusal(api.createEntity({ data: { LogicalName: "svc_new" } }))).status, 405);
});
