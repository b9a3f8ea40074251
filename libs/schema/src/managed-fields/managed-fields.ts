import { finish, type ManagedFieldsEntry, type Passes } from '@annex/machinery';
import type { FieldSet } from './field-set.ts';
import { fieldSetFromJson, fieldSetFromJsonInPasses, fieldSetToJsonInPasses } from './field-set-json.ts';

/** The fields that a manager owns, in the version that it wrote. */
export interface ManagedSet {
  set: FieldSet;
  apiVersion: string;
  applied: boolean;
}

/** The key of a manager: its entry without time and fields, and without the version for Apply. */
export type ManagerId = string;

/** Decoded `metadata.managedFields`. */
export interface Managed {
  fields: Map<ManagerId, ManagedSet>;
  times: Map<ManagerId, string | undefined>;
  /** The decoded entries, reused if they are unchanged. */
  entries: Map<ManagerId, ManagedFieldsEntry>;
}

/** Returns empty managedFields. */
export const noManagedFields = (): Managed => ({ fields: new Map(), times: new Map(), entries: new Map() });

/** Returns the id of an entry; for Apply without the version, so that an applier keeps its entry across versions. */
export function managerId(entry: ManagedFieldsEntry): ManagerId {
  return JSON.stringify({
    manager: entry.manager === '' ? undefined : entry.manager,
    operation: entry.operation,
    apiVersion: entry.operation === 'Apply' ? undefined : entry.apiVersion,
    subresource: entry.subresource === '' ? undefined : entry.subresource,
  });
}

/** Returns the entry of an id, without time and fields. */
export const parseManagerId = (id: ManagerId): ManagedFieldsEntry => JSON.parse(id) as ManagedFieldsEntry;

/** Decodes managedFields. Throws an Error with kube-apiserver's message for the first invalid entry. */
export const decodeManagedFields = (entries: readonly ManagedFieldsEntry[] | undefined): Managed =>
  finish(decodeManagedFieldsInPasses(entries));

/** The same, with a pass for each entry, and more of them for large ones. */
export function* decodeManagedFieldsInPasses(
  entries: readonly ManagedFieldsEntry[] | undefined,
): Passes<Managed> {
  const managed = noManagedFields();
  for (const [i, entry] of (entries ?? []).entries()) {
    checkEntry(entry, i);
    const id = managerId(entry);
    const apiVersion = entry.apiVersion as string;
    managed.fields.set(id, {
      set: yield* decodeSet(entry),
      apiVersion,
      applied: entry.operation === 'Apply',
    });
    managed.times.set(id, entry.time);
    managed.entries.set(id, entry);
    yield;
  }
  return managed;
}

function checkEntry(entry: ManagedFieldsEntry, index: number): void {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
    throw new Error('operation must be `Apply` or `Update`');
  }
  if (!entry.apiVersion) throw new Error('apiVersion must not be empty');
  if (!entry.fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (entry.fieldsType !== 'FieldsV1') {
    throw new Error(
      `invalid fieldsType ${JSON.stringify(entry.fieldsType)} in managed fields entry ${index}`,
    );
  }
}

function* decodeSet(entry: ManagedFieldsEntry): Passes<FieldSet> {
  try {
    return yield* fieldSetFromJsonInPasses(entry.fieldsV1 ?? {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`error decoding versioned set from ${managerId(entry)}: error decoding set: ${reason}`, {
      cause: error,
    });
  }
}

/** Returns true if a client clears managedFields: with an empty list or one empty entry. */
export function isManagedFieldsReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined || entries === null) return false;
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0);
}

/**
 * Returns the entries in kube-apiserver's order: Apply before Update, then by whole seconds, manager, version and
 * subresource. Their FieldsV1 are shared and must not be changed.
 */
export const encodeManagedFields = (managed: Managed): ManagedFieldsEntry[] | undefined =>
  finish(encodeManagedFieldsInPasses(managed));

/** The same, with a pass for each entry, and more of them for large ones. */
export function* encodeManagedFieldsInPasses(managed: Managed): Passes<ManagedFieldsEntry[] | undefined> {
  if (managed.fields.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const [id, owned] of managed.fields) {
    entries.push(yield* encodeEntry(managed, id, owned));
    yield;
  }
  return entries.sort(compareEntries);
}

function* encodeEntry(managed: Managed, id: ManagerId, owned: ManagedSet): Passes<ManagedFieldsEntry> {
  const time = managed.times.get(id);
  const entry = managed.entries.get(id);
  // Null is an empty set, too.
  const known = entry?.fieldsV1 ?? undefined;
  const isUnchanged = known !== undefined && fieldSetFromJson(known) === owned.set;
  if (isUnchanged && entry?.apiVersion === owned.apiVersion && entry.time === time && isCanonical(entry))
    return entry;
  const { manager, operation, subresource } = parseManagerId(id);
  return {
    ...(manager === undefined ? {} : { manager }),
    operation: owned.applied ? 'Apply' : (operation ?? 'Update'),
    apiVersion: owned.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: isUnchanged ? known : yield* fieldSetToJsonInPasses(owned.set),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Returns true if encoding would not leave out an empty field. */
const isCanonical = ({ manager, subresource }: ManagedFieldsEntry): boolean =>
  manager !== '' && subresource !== '';

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    seconds(a.time) - seconds(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const compareText = (a = '', b = ''): number => (a < b ? -1 : a > b ? 1 : 0);
const seconds = (time: string | undefined): number =>
  time === undefined || time === null ? 0 : Math.floor(Date.parse(time) / 1000);

/** The maximum number of Update entries. Source: apiserver. */
export const maxUpdateManagers = 10;

/**
 * Merges the oldest Update entries of a version into an entry of `ancient-changes`, until at most `maxUpdateManagers` are
 * left.
 */
export function capUpdateManagers(managed: Managed): void {
  const { fields, times } = managed;
  const updaters = [...fields].filter(([, owned]) => !owned.applied).map(([id]) => id);
  let excess = updaters.length - maxUpdateManagers;
  if (excess <= 0) return;
  updaters.sort((a, b) => seconds(times.get(a)) - seconds(times.get(b)) || compareText(a, b));
  const firsts = new Map<string, ManagerId>();
  for (const id of updaters) {
    if (excess <= 0) return;
    const owned = fields.get(id) as ManagedSet;
    const first = firsts.get(owned.apiVersion);
    if (first === undefined) {
      firsts.set(owned.apiVersion, id);
      continue;
    }
    const bucket = managerId({
      manager: 'ancient-changes',
      operation: 'Update',
      apiVersion: owned.apiVersion,
    });
    const before = fields.get(bucket) ?? (fields.get(first) as ManagedSet);
    if (!fields.has(bucket)) fields.delete(first);
    fields.set(bucket, { ...owned, set: owned.set.union(before.set) });
    times.set(bucket, times.get(id));
    fields.delete(id);
    excess--;
  }
}
