// A program against the client odata2ts makes of $metadata: it must compile, and it must run.
import { FetchClient } from "@odata2ts/http-client-fetch";
import { AlmonerService } from "./generated/AlmonerService";

/** Creates, finds, reads, changes and deletes rows, calls a function and an action, and tells what it saw. */
export async function run(base: string, token: string, lastname: string) {
  const client = new FetchClient({ headers: { Authorization: `Bearer ${token}`, Prefer: "return=representation" } });
  const service = new AlmonerService(client, base);

  const contact = (await service.contacts().create({ firstname: "Typed", lastname })).data;
  const found = (
    await service
      .contacts()
      .query((builder, q) =>
        builder
          .select("contactid", "fullname")
          .filter(q.lastname.eq(lastname), q.createdon.gt("2020-01-01T00:00:00Z"))
          .orderBy(q.fullname.asc())
          .top(5)
          .count(),
      )
  ).data;

  const key = contact.contactid!;
  await service.contacts(key).patch({ jobtitle: "Compiler" });
  const changed = (await service.contacts(key).query((builder) => builder.select("jobtitle"))).data;

  const row = { svc_formaldefault: lastname, "svc_PrimaryContact@odata.bind": `/contacts(${key})` };
  const donor = (await service.svc_donors().create(row)).data;
  const expanded = (
    await service
      .svc_donors(donor.svc_donorid!)
      .query((builder) => builder.select("svc_formaldefault").expanding("svc_PrimaryContact", (c) => c.select("lastname")))
  ).data;
  const list = (await service.lists().create({ listname: lastname, type: false, createdfromcode: 4 })).data;
  const member = (await service.lists(list.listid!).AddMemberList({ EntityId: key })).data;
  const who = (await service.WhoAmI()).data;

  await service.contacts(key).delete();
  const left = (await service.contacts().query((builder, q) => builder.filter(q.contactid.eq(key)))).data;
  return {
    names: found.value.map((row) => row.fullname),
    count: found["@odata.count"],
    jobtitle: changed.jobtitle,
    primary: expanded.svc_PrimaryContact?.lastname,
    member: member.Id,
    user: who.UserId,
    left: left.value.length,
  };
}
