// The service under test, and the rows every test stands on. clients_test.go starts the service and sets the variables read here.
import { randomUUID } from "node:crypto";
import { DynamicsWebApi } from "dynamics-web-api";

const need = (name) => {
  const text = process.env[name];
  if (!text) throw new Error(`${name} is not set; these tests are run by "go test ./clients"`);
  return text;
};

/** Scheme and host of the service, without a slash at the end. */
export const origin = need("ORIGIN");

/** Address of the Web API, without a slash at the end. */
export const base = need("BASE");

/** A bearer token of the administrator. */
export const token = need("TOKEN");

/** Id of a person who may be impersonated. */
export const colleague = need("COLLEAGUE");

/** Client id and secret of an application with the role Integration. */
export const application = { id: need("CLIENT_ID"), secret: need("CLIENT_SECRET") };

/** A folder for what tests generate, shared by the runs on either store. */
export const scratch = need("SCRATCH");

/** A new dynamics-web-api client, signed in as the administrator. */
export const connect = (config = {}) =>
  new DynamicsWebApi({ serverUrl: origin, dataApi: { version: "9.2" }, onTokenRefresh: async () => token, ...config });

/** A text no other test uses, to tell one test's rows from another's. */
export const unique = (prefix) => `${prefix} ${randomUUID().slice(0, 8)}`;

/** The error a promise is rejected with; it fails when the promise is fulfilled. */
export async function refusal(promise) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`accepted what must be refused, with ${JSON.stringify(value)}`);
}

/** A department, a fund, a contact and a donor to hang gifts on, made with plain requests. */
export async function foundation() {
  const department = await post("svc_departments", { svc_departmentname: unique("Programs") });
  const fund = await post("svc_funds", {
    svc_fundname: unique("General Fund"),
    svc_fundclass: 730850000,
    svc_fundtype: 730850003,
    "svc_Department@odata.bind": `/svc_departments(${department.svc_departmentid})`,
  });
  const contact = await post("contacts", { firstname: "Aya", lastname: unique("Ito") });
  const donor = await post("svc_donors", {
    svc_formaldefault: contact.fullname,
    "svc_PrimaryContact@odata.bind": `/contacts(${contact.contactid})`,
  });
  return { fund: fund.svc_fundid, contact: contact.contactid, donor: donor.svc_donorid, name: contact.fullname };
}

/** The columns of a cash gift of a donor to a fund. */
export const cashGift = ({ donor, fund }, amount, extra = {}) => ({
  svc_giftnum: unique("G"),
  svc_giftdate: "2026-03-01",
  svc_gifttype: 730850000,
  svc_amount1: amount,
  "svc_Donor@odata.bind": `/svc_donors(${donor})`,
  "svc_Fund1@odata.bind": `/svc_funds(${fund})`,
  ...extra,
});

async function post(set, row) {
  const answer = await fetch(`${base}/${set}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Prefer: "return=representation" },
    body: JSON.stringify(row),
  });
  if (answer.status !== 201) throw new Error(`POST ${set}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
