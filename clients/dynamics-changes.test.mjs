// dynamics-web-api: change tracking, from the first load over delta links.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { cashGift, connect, foundation, refusal } from "./foundation.mjs";

const api = connect();
let ground;
before(async () => {
  ground = await foundation();
});

const tracked = { collection: "svc_gifts", select: ["svc_giftnum", "svc_totalgift"], trackChanges: true };

/** Ids of the gifts made here: other tests write gifts at the same time. */
const ours = new Set();

async function giftOf(amount) {
  const id = await api.create({ collection: "svc_gifts", data: cashGift(ground, amount) });
  ours.add(id);
  return id;
}

/** What a delta link tells of the gifts made here: live rows by id, and the ids of deleted ones. */
async function changes(link) {
  const page = await api.retrieveMultiple({ collection: "svc_gifts" }, link);
  const deleted = page.value.filter((row) => row.reason === "deleted").map((row) => row.id);
  const live = page.value.filter((row) => !row.reason && ours.has(row.svc_giftid));
  return {
    context: page["@odata.context"],
    live: new Map(live.map((row) => [row.svc_giftid, row])),
    deleted: deleted.filter((id) => ours.has(id)),
    next: page.oDataDeltaLink,
  };
}

test("created, changed and deleted rows come with the delta link", async () => {
  const kept = await giftOf(10);
  const doomed = await giftOf(20);
  const first = await api.retrieveMultiple(tracked);
  assert.ok(first.value.some((row) => row.svc_giftid === kept));
  assert.match(first.oDataDeltaLink, /deltatoken=/);

  const quiet = await changes(first.oDataDeltaLink);
  assert.deepEqual([quiet.live.size, quiet.deleted], [0, []]);
  assert.ok(quiet.next);

  const made = await giftOf(30);
  await api.update({ collection: "svc_gifts", key: kept, data: { svc_giftnum: "changed" } });
  await api.deleteRecord({ collection: "svc_gifts", key: doomed });
  const { live, deleted, next, context } = await changes(quiet.next);
  assert.match(context, /\/\$delta$/);
  assert.equal(live.get(kept).svc_giftnum, "changed");
  assert.equal(live.get(made).svc_totalgift, 30);
  assert.deepEqual(deleted, [doomed]);
  const after = await changes(next);
  assert.deepEqual([after.live.size, after.deleted], [0, []]);
});

test("a row made and deleted between two pulls is a deletion", async () => {
  const first = await api.retrieveMultiple(tracked);
  const id = await giftOf(5);
  await api.deleteRecord({ collection: "svc_gifts", key: id });
  const { live, deleted } = await changes(first.oDataDeltaLink);
  assert.deepEqual([live.has(id), deleted.includes(id)], [false, true]);
});

test("retrieveAll keeps the delta link of the last page", async () => {
  for (let n = 1; n <= 5; n++) await giftOf(n);
  const all = await api.retrieveAll({ ...tracked, maxPageSize: 2 });
  assert.ok(all.value.length >= 5);
  const id = await giftOf(6);
  const { live } = await changes(all.oDataDeltaLink);
  assert.deepEqual([...live.keys()], [id]);
});

test("annotations come with tracked rows", async () => {
  const first = await api.retrieveMultiple({ ...tracked, includeAnnotations: "*" });
  assert.match(first.value[0].svc_totalgift_Formatted, /^\$/);
  assert.ok(first.oDataDeltaLink);
});

test("tracking is refused with a filter and on tables without it", async () => {
  const filtered = await refusal(api.retrieveMultiple({ ...tracked, filter: "svc_totalgift gt 1" }));
  assert.deepEqual([filtered.status, filtered.code], [400, "0x80060888"]);
  const untracked = await refusal(api.retrieveMultiple({ collection: "svc_criterialists", trackChanges: true }));
  assert.deepEqual([untracked.status, untracked.code], [400, "0x80072491"]);
});
