// What the service says of its tables, columns and relations. Each answer is kept until the session ends.

import { allowed, get } from './api.mjs';
import { spoken } from './cell.mjs';
import { whenOver } from './session.mjs';

const kept = new Map();
whenOver(() => kept.clear());

/** once asks a question the first time only; a question that failed is asked again. */
function once(key, ask) {
  if (!kept.has(key)) {
    const answer = ask();
    answer.catch(() => kept.delete(key));
    kept.set(key, answer);
  }
  return kept.get(key);
}

const labelOf = (label, otherwise) => label?.UserLocalizedLabel?.Label ?? otherwise;
const definition = (table) => `EntityDefinitions(LogicalName='${encodeURIComponent(table)}')`;

/** whoAmI is the caller's ids. */
export const whoAmI = () => once('who', () => get('WhoAmI()'));

/** tables maps logical names to tables, in the order of their labels. */
export const tables = () => once('tables', readTables);

/** tableNamed is one table; the error it throws names what is not there. */
export async function tableNamed(name) {
  const table = (await tables()).get(name);
  if (!table) throw new Error(`There is no table named '${name}'.`);
  return table;
}

async function readTables() {
  const select =
    'LogicalName,EntitySetName,DisplayName,DisplayCollectionName,PrimaryIdAttribute,PrimaryNameAttribute,IsCustomEntity,ChangeTrackingEnabled,Privileges';
  const [{ value }, held] = await Promise.all([get(`EntityDefinitions?$select=${select}`), privileges()]);
  const all = value.map((d) => ({
    name: d.LogicalName,
    set: d.EntitySetName,
    label: labelOf(d.DisplayName, d.LogicalName),
    labels: labelOf(d.DisplayCollectionName, d.EntitySetName),
    key: d.PrimaryIdAttribute,
    title: d.PrimaryNameAttribute,
    kind: kindOf(d),
    named: isNamed(d, held),
  }));
  all.sort((a, b) => a.labels.localeCompare(b.labels));
  return new Map(all.map((table) => [table.name, table]));
}

function kindOf(d) {
  if (d.IsCustomEntity) return 'Foundation';
  return d.ChangeTrackingEnabled ? 'People and outreach' : 'Administration';
}

/** privileges are the names of everything the caller may do, or null when they may not even know. */
async function privileges() {
  const { UserId } = await whoAmI();
  const answer = await allowed(`systemusers(${UserId})/Microsoft.Dynamics.CRM.RetrieveUserPrivileges()`);
  return answer && new Set(answer.RolePrivileges.map((p) => p.PrivilegeName));
}

/** isNamed tells whether the caller's roles name a table for reading; all are when nobody may say. */
function isNamed(d, held) {
  const read = (d.Privileges ?? []).find((p) => p.PrivilegeType === 'Read');
  return !held || !read || held.has(read.Name);
}

/** columns maps logical names to the columns of a table that can be read, in the order of the service. */
export const columns = (table) =>
  once(`columns ${table}`, async () => {
    const select = 'LogicalName,DisplayName,Description,AttributeType,IsValidForRead,IsValidODataAttribute';
    const { value } = await get(`${definition(table)}/Attributes?$select=${select}`);
    const readable = value.filter((a) => a.IsValidForRead && a.IsValidODataAttribute);
    return new Map(readable.map((a) => [a.LogicalName, columnOf(a)]));
  });

const LOOKUPS = new Set(['Lookup', 'Owner', 'Customer']);

/** pointsAtRow tells lookups; a role's template is one to a table that is not served, and described as a plain id. */
const pointsAtRow = (a) => LOOKUPS.has(a.AttributeType) || a.LogicalName === 'roletemplateid';

function columnOf(a) {
  return {
    name: a.LogicalName,
    wire: pointsAtRow(a) ? `_${a.LogicalName}_value` : a.LogicalName,
    label: labelOf(a.DisplayName, a.LogicalName),
    doc: labelOf(a.Description, ''),
    type: a.AttributeType,
  };
}

/** choices maps the logical names of a table's choice columns to their labels by value. */
export const choices = (table) =>
  once(`choices ${table}`, async () => {
    const kinds = ['Picklist', 'State', 'Status'].map((kind) =>
      get(
        `${definition(
          table
        )}/Attributes/Microsoft.Dynamics.CRM.${kind}AttributeMetadata?$select=LogicalName&$expand=OptionSet($select=Options)`
      )
    );
    const found = (await Promise.all(kinds)).flatMap((answer) => answer.value);
    return new Map(
      found.map((a) => [a.LogicalName, new Map(a.OptionSet.Options.map((o) => [String(o.Value), labelOf(o.Label, String(o.Value))]))])
    );
  });

/** relations lists the collections of a row: the rows whose lookups point at it, and those it is joined to through a third table. */
export const relations = (table) =>
  once(`relations ${table}`, async () => {
    const many = '$select=Entity1LogicalName,Entity2LogicalName,Entity1NavigationPropertyName,Entity2NavigationPropertyName';
    const one = '$select=ReferencingEntity,ReferencingAttribute,ReferencingEntityNavigationPropertyName';
    const d = await get(`${definition(table)}?$select=LogicalName&$expand=OneToManyRelationships(${one}),ManyToManyRelationships(${many})`);
    return {
      pointing: d.OneToManyRelationships.map((r) => ({
        table: r.ReferencingEntity,
        column: r.ReferencingAttribute,
        label: spoken(r.ReferencingEntityNavigationPropertyName ?? r.ReferencingAttribute),
      })),
      joined: d.ManyToManyRelationships.map((r) => {
        const first = r.Entity1LogicalName === table;
        return {
          table: first ? r.Entity2LogicalName : r.Entity1LogicalName,
          path: first ? r.Entity1NavigationPropertyName : r.Entity2NavigationPropertyName,
        };
      }),
    };
  });
