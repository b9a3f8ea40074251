import { deepEqualInPasses, DividedVisit, type JsonObject, type Passes } from '@annex/machinery';
import { prefixErrors } from './apply-conversion.ts';
import { FieldSet, type FieldPathElements } from '../managed-fields/field-set.ts';
import {
  differenceInPasses,
  intersectionInPasses,
  unionInPasses,
} from '../managed-fields/field-set-passes.ts';
import type { Managed, ManagedSet, ManagerId } from '../managed-fields/managed-fields.ts';
import { compareTypedInPasses, type Comparison } from '../typed-values/typed-compare.ts';
import { sharedDifference, sharedFieldSet } from '../managed-fields/shared-field-sets.ts';
import { toFieldSet, toFieldSetInPasses } from '../typed-values/typed-field-set.ts';
import { mergeTypedInPasses } from '../typed-values/typed-merge.ts';
import { reconcileWithSchema } from '../typed-values/typed-reconcile.ts';
import { removeItems, withNamedParents } from '../typed-values/typed-remove.ts';
import type { MergeType } from '../typed-values/typed-schema.ts';

/** An object in one version, with the merge type of that version. */
export interface TypedObject {
  object: JsonObject;
  apiVersion: string;
  type: MergeType;
}

/** Converts an object to another version; returns `undefined` for a version that is no longer served. */
export type Converter = (object: TypedObject, apiVersion: string) => TypedObject | undefined;

/** A field that an applier changes and another manager owns. */
export interface Conflict {
  manager: ManagerId;
  path: FieldPathElements;
}

/** Reports the conflicts of an apply that is not forced. */
export class ConflictError extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} conflicts`);
    this.name = 'ConflictError';
    this.conflicts = conflicts;
  }
}

/** The conversion, and the fields to ignore, for computing ownership. */
export interface OwnershipOptions {
  convert: Converter;
  /** Fields that this endpoint does not write. */
  resetFields: FieldSet;
  /** As in TrackingOptions. */
  resetVersions?: ReadonlySet<string> | undefined;
  /** Whether sets are so large that operations on them are divided. */
  large: boolean;
}

/**
 * Makes the manager the only owner of the differences between `live` and `updated`. Changes `managed`; removes the manager's
 * entry if it owns no fields.
 */
export function* updateOwnership(
  live: TypedObject,
  updated: TypedObject,
  managed: Managed,
  manager: ManagerId,
  options: OwnershipOptions,
): Passes<void> {
  reconcile(live, managed, options.convert);
  const difference = yield* takeFromOthers(live, updated, managed, manager, true, options);
  yield;
  const before = managed.fields.get(manager)?.set ?? new FieldSet();
  const { modified, added, removed } = difference;
  const kept = options.large ? yield* differenceInPasses(before, removed) : before.difference(removed);
  yield;
  const owned = options.large
    ? yield* unionInPasses(yield* unionInPasses(kept, modified), added)
    : kept.union(modified).union(added);
  yield;
  const set = owned.recursiveDifference(options.resetFields);
  if (set.isEmpty) managed.fields.delete(manager);
  else managed.fields.set(manager, { set, apiVersion: updated.apiVersion, applied: false });
}

/**
 * Merges the applied object into the live one, and makes the manager the owner of the applied fields. Removes fields that
 * the manager applied before and that have no owner now. Returns undefined if the object does not change. Changes `managed`.
 * Throws ConflictError.
 */
export function* applyOwnership(
  live: TypedObject,
  applied: TypedObject,
  managed: Managed,
  manager: ManagerId,
  options: OwnershipOptions & { force: boolean },
): Passes<JsonObject | undefined> {
  reconcile(live, managed, options.convert);
  yield;
  const object = (yield* mergeTypedInPasses(live.object, applied.object, live.type)) as JsonObject;
  const merged = { ...live, object };
  yield;
  const last = managed.fields.get(manager);
  const whole = options.large
    ? yield* toFieldSetInPasses(applied.object, applied.type)
    : sharedFields(applied);
  yield;
  const set = sharedDifference(whole, options.resetFields, 'recursiveDifference');
  yield;
  managed.fields.set(manager, { set, apiVersion: applied.apiVersion, applied: true });
  const pruned = requiresPruning(last, set, managed, applied.apiVersion)
    ? yield* prefixErrors(
        'failed to prune fields: ',
        prune(merged, managed, applied.apiVersion, last, options),
      )
    : merged;
  yield* takeFromOthers(live, pruned, managed, manager, options.force, options);
  yield;
  return (yield* deepEqualInPasses(live.object, pruned.object)) ? undefined : pruned.object;
}

function sharedFields({ object, type }: TypedObject): FieldSet {
  const shared = sharedFieldSet('fields', object, type);
  if (shared.set !== undefined) return shared.set;
  const set = toFieldSet(object, type);
  shared.save(set);
  return set;
}

/** Returns true if pruning can remove a field, or must run because conversions for managers of other versions can fail. */
function requiresPruning(
  last: ManagedSet | undefined,
  set: FieldSet,
  managed: Managed,
  apiVersion: string,
): last is ManagedSet {
  if (last === undefined || last.set.isEmpty) return false;
  if (last.apiVersion !== apiVersion || !last.set.difference(set).isEmpty) return true;
  return managed.fields.values().some((other) => other.apiVersion !== apiVersion);
}

/** Adapts the sets to fields that became atomic, and removes managers of versions that are no longer served. */
function reconcile(live: TypedObject, managed: Managed, convert: Converter): void {
  for (const [id, owned] of managed.fields) {
    const view = convert(live, owned.apiVersion);
    if (view === undefined) managed.fields.delete(id);
    else managed.fields.set(id, { ...owned, set: reconcileWithSchema(owned.set, view.type) });
  }
}

function* takeFromOthers(
  live: TypedObject,
  updated: TypedObject,
  managed: Managed,
  manager: ManagerId,
  force: boolean,
  options: OwnershipOptions,
): Passes<Comparison> {
  const whole = yield* compareTypedInPasses(live.object, updated.object, live.type);
  yield;
  const { large } = options;
  const own = yield* withChanged(withoutFields(whole, options.resetFields), large);
  yield;
  const byVersion = new Map<string, Difference | undefined>([[live.apiVersion, own]]);
  const conflicts = new Map<ManagerId, FieldSet>();
  for (const [id, owned] of managed.fields) {
    if (id === manager) continue;
    yield;
    const { apiVersion, set } = owned;
    let difference = byVersion.get(apiVersion);
    if (!byVersion.has(apiVersion)) {
      difference = yield* differenceIn(apiVersion, live, updated, whole, options);
      byVersion.set(apiVersion, difference);
    }
    if (difference === undefined) {
      managed.fields.delete(id);
      continue;
    }
    yield;
    const { changed, removed } = difference;
    // A small write creates no generators here.
    const taken = large ? yield* intersectionInPasses(set, changed) : set.intersection(changed);
    yield;
    if (!taken.isEmpty) conflicts.set(id, taken);
    const left = large ? yield* differenceInPasses(set, taken) : set.difference(taken);
    yield;
    const rest = large ? yield* differenceInPasses(left, removed) : left.difference(removed);
    yield;
    if (rest.isEmpty) managed.fields.delete(id);
    else if (rest.size !== set.size) managed.fields.set(id, { ...owned, set: rest });
  }
  if (!force && conflicts.size > 0) throw new ConflictError(yield* listConflicts(conflicts));
  return own;
}

type Difference = Comparison & { changed: FieldSet };

function* withChanged(difference: Comparison, large: boolean): Passes<Difference> {
  const { modified, added } = difference;
  const changed = large ? yield* unionInPasses(modified, added) : modified.union(added);
  return { ...difference, changed };
}

function* united(set: FieldSet, other: FieldSet, { large }: OwnershipOptions): Passes<FieldSet> {
  return large ? yield* unionInPasses(set, other) : set.union(other);
}

function* without(set: FieldSet, other: FieldSet, { large }: OwnershipOptions): Passes<FieldSet> {
  return large ? yield* differenceInPasses(set, other) : set.difference(other);
}

/** Returns the difference in another version, which is `whole` if that version has the same fields. */
function* differenceIn(
  apiVersion: string,
  live: TypedObject,
  updated: TypedObject,
  whole: Comparison,
  options: OwnershipOptions,
): Passes<Difference | undefined> {
  const { convert, resetFields, resetVersions } = options;
  const before = yield* prefixErrors('failed to convert old object: ', inVersion(convert, live, apiVersion));
  const after = yield* prefixErrors(
    'failed to convert new object: ',
    inVersion(convert, updated, apiVersion),
  );
  if (before === undefined || after === undefined) return undefined;
  const isSame =
    before.object === live.object && after.object === updated.object && before.type === live.type;
  const all = isSame ? whole : yield* compareTypedInPasses(before.object, after.object, before.type);
  const ignores = resetVersions === undefined || resetVersions.has(apiVersion);
  return yield* withChanged(ignores ? withoutFields(all, resetFields) : all, options.large);
}

function* inVersion(
  convert: Converter,
  object: TypedObject,
  apiVersion: string,
): Passes<TypedObject | undefined> {
  yield;
  return convert(object, apiVersion);
}

const withoutFields = ({ removed, modified, added }: Comparison, fields: FieldSet): Comparison => ({
  removed: removed.recursiveDifference(fields),
  modified: modified.recursiveDifference(fields),
  added: added.recursiveDifference(fields),
});

function* listConflicts(sets: Map<ManagerId, FieldSet>): Passes<Conflict[]> {
  const conflicts: Conflict[] = [];
  const visits = new DividedVisit();
  for (const manager of [...sets.keys()].sort()) {
    yield* visits.each(
      (sets.get(manager) as FieldSet).paths(),
      (path) => void conflicts.push({ manager, path }),
    );
  }
  return conflicts;
}

/** Removes the fields of the manager's last apply, except those that it applies again or others own. */
function* prune(
  merged: TypedObject,
  managed: Managed,
  appliedVersion: string,
  last: ManagedSet,
  options: OwnershipOptions,
): Passes<TypedObject> {
  const converted = yield* prefixErrors(
    'failed to convert merged object to last applied version: ',
    inVersion(options.convert, merged, last.apiVersion),
  );
  if (converted === undefined) return merged;
  const lastSet = withNamedParents(last.set, converted.type);
  yield;
  const pruned = remove(converted, lastSet);
  yield;
  const kept = yield* prefixErrors(
    'failed add back owned items: ',
    addBackOwned(converted, pruned, last.apiVersion, managed, options),
  );
  const whole = yield* prefixErrors(
    'failed add back dangling items: ',
    keepDangling(converted, kept, lastSet, options),
  );
  return options.convert(whole, appliedVersion) ?? merged;
}

const remove = (from: TypedObject, set: FieldSet): TypedObject => ({
  ...from,
  object: removeItems(from.object, set, from.type) as JsonObject,
});

/** Ends with a pass, so that its caller continues in another one. */
function* namedSet({ object, type }: TypedObject): Passes<FieldSet> {
  const set = yield* toFieldSetInPasses(object, type);
  yield;
  const named = withNamedParents(set, type);
  yield;
  return named;
}

/**
 * Restores the fields that any manager owns, version by version. The version of the removal is first, because conversion can
 * require its fields.
 */
function* addBackOwned(
  merged: TypedObject,
  pruned: TypedObject,
  prunedVersion: string,
  managed: Managed,
  options: OwnershipOptions,
): Passes<TypedObject> {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managed.fields.values()) {
    const others = owned.get(apiVersion);
    owned.set(apiVersion, others === undefined ? set : yield* united(set, others, options));
  }
  const versions = [prunedVersion, ...[...owned.keys()].filter((version) => version !== prunedVersion)];
  for (const version of versions) {
    const set = owned.get(version);
    if (set === undefined) continue;
    const whole = yield* prefixErrors(
      `failed to convert merged object at version ${version}: `,
      inVersion(options.convert, merged, version),
    );
    if (whole === undefined) continue;
    const rest = yield* prefixErrors(
      `failed to convert pruned object at version ${version}: `,
      inVersion(options.convert, pruned, version),
    );
    if (rest === undefined) continue;
    yield;
    const named = yield* namedSet(rest);
    const keep = yield* united(named, withNamedParents(set, whole.type), options);
    yield;
    merged = whole;
    const dropped = yield* without(yield* namedSet(whole), keep, options);
    yield;
    pruned = remove(whole, dropped);
  }
  return pruned;
}

/** Restores removed fields that the manager did not own. */
function* keepDangling(
  merged: TypedObject,
  pruned: TypedObject,
  last: FieldSet,
  options: OwnershipOptions,
): Passes<TypedObject> {
  const rest = yield* prefixErrors(
    'failed to convert pruned object to last applied version: ',
    inVersion(options.convert, pruned, merged.apiVersion),
  );
  if (rest === undefined) return merged;
  yield;
  const dangling = yield* namedSet(merged);
  const kept = yield* namedSet(rest);
  const dropped = yield* without(dangling, kept, options);
  yield;
  const dropping = options.large ? yield* intersectionInPasses(dropped, last) : dropped.intersection(last);
  yield;
  return remove(merged, dropping);
}
