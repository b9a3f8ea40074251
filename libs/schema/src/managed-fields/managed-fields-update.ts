import {
  finish,
  formatTime,
  type JsonObject,
  type KubeObject,
  type ManagedFieldsEntry,
  type Passes,
  StatusError,
} from '@annex/machinery';
import { createBase, type TrackingOptions, typedView, withoutManagedFields } from '../apply/apply-object.ts';
import { updateOwnership } from '../apply/apply-ownership.ts';
import { FieldSet } from './field-set.ts';
import { unionInPasses } from './field-set-passes.ts';
import {
  capUpdateManagers,
  decodeManagedFieldsInPasses,
  encodeManagedFieldsInPasses,
  isManagedFieldsReset,
  type Managed,
  managerId,
  type ManagerId,
  noManagedFields,
} from './managed-fields.ts';
import { sharedDifference, sharedFieldSet } from './shared-field-sets.ts';
import { compareTypedInPasses } from '../typed-values/typed-compare.ts';
import { type MergeType, objectMergeType } from '../typed-values/typed-schema.ts';
import { TypedError } from '../typed-values/typed-value.ts';
import { validateTyped, validateTypedInPasses } from '../typed-values/typed-validate.ts';

/** A create, update or patch whose field ownership is tracked. */
export interface UpdateTracking extends TrackingOptions {
  /** Absent for a create. */
  live?: KubeObject | undefined;
  updated: KubeObject;
  /** The field manager; by default, the part of the user agent before the slash. */
  manager: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Sets `metadata.managedFields` of an object for a create, update or (non-apply) patch, and returns the object: the manager
 * owns what it changed. An update without changes keeps managedFields, including times. managedFields from the client are
 * used if they decode; an empty list or one empty entry clears them.
 */
export const trackUpdate = (options: UpdateTracking): KubeObject => finish(trackUpdateInPasses(options));

/** The same for a large object, in passes over it. Only the last pass changes the object. */
export function* trackUpdateInPasses(options: UpdateTracking): Passes<KubeObject> {
  const managed = yield* trackManagers(options);
  yield;
  return yield* setManagedFields(options.updated, managed);
}

function* trackManagers(options: UpdateTracking): Passes<Managed> {
  const { live, updated } = options;
  const managed = yield* decodeLiveOrNew(live, updated, (options.subresource ?? '') !== '');
  // An object without managedFields stays untracked until the first apply.
  if (managed.fields.size === 0 && live?.metadata.uid !== undefined) return managed;
  yield;
  try {
    if (live === undefined && managed.fields.size === 0) yield* recordCreate(managed, options);
    else yield* recordUpdate(live ?? baseOf(options), updated, managed, options);
  } catch (error) {
    // kube-apiserver drops managedFields that it cannot track instead of failing the write.
    if (!(error instanceof TypedError || error instanceof StatusError)) throw error;
    return noManagedFields();
  }
  return managed;
}

/** Sets the entries of an object, in place. */
export function* setManagedFields(object: KubeObject, managed: Managed): Passes<KubeObject> {
  const entries = yield* encodeManagedFieldsInPasses(managed);
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
  return object;
}

function* decodeLiveOrNew(
  live: KubeObject | undefined,
  updated: KubeObject,
  isSubresource: boolean,
): Passes<Managed> {
  const sent = updated.metadata.managedFields;
  if (!isSubresource) {
    if (isManagedFieldsReset(sent)) return noManagedFields();
    const managed = yield* decodeOrNone(sent);
    if (managed.fields.size > 0) return managed;
  }
  return yield* decodeOrNone(live?.metadata.managedFields);
}

function* decodeOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Passes<Managed> {
  try {
    return yield* decodeManagedFieldsInPasses(entries);
  } catch {
    return noManagedFields();
  }
}

const baseOf = ({ schema, updated, typed, empty }: UpdateTracking): KubeObject =>
  createBase(schema, updated, typed === true, empty);

/** Makes the manager the owner of all fields of a new object. */
function* recordCreate(managed: Managed, options: UpdateTracking): Passes<void> {
  const all = yield* createdFields(options);
  yield;
  const { resetFields, apiVersion } = options;
  const written = resetFields ? sharedDifference(all, resetFields, 'recursiveDifference') : all;
  const set = sharedDifference(written, untracked, 'difference');
  if (set.isEmpty) return;
  const id = updaterId(options);
  managed.fields.set(id, { set, apiVersion, applied: false });
  managed.times.set(id, formatTime(options.now));
}

function* createdFields(options: UpdateTracking): Passes<FieldSet> {
  const type = objectMergeType(options.schema);
  const updated = withoutManagedFields(options.updated);
  if (options.large === true) {
    yield* validateTypedInPasses(updated, type, { allowDuplicates: true });
    yield;
    return yield* fieldsOfCreate(updated, type, options);
  }
  const shared = sharedFieldSet('create', updated, type);
  if (shared.set !== undefined) return shared.set;
  validateTyped(updated, type, { allowDuplicates: true });
  const set = yield* fieldsOfCreate(updated, type, options);
  shared.save(set);
  return set;
}

function* fieldsOfCreate(updated: JsonObject, type: MergeType, options: UpdateTracking): Passes<FieldSet> {
  const before = withoutManagedFields(baseOf(options));
  const { modified, added } = yield* compareTypedInPasses(before, updated, type);
  return yield* united(modified, added, options);
}

const currentOperation: ManagerId = 'current-operation';

/** Makes the manager the owner of the changes from `live` to `updated`. Changes `managed`. Throws TypedError. */
export function* recordUpdate(
  live: KubeObject,
  updated: KubeObject,
  managed: Managed,
  options: TrackingOptions & { manager: string; now: number },
): Passes<void> {
  const { view, convert } = typedView(options);
  const owned = managed.fields.get(updaterId(options))?.set;
  const after = view(withoutManagedFields(updated));
  const before = view(withoutManagedFields(live));
  for (const { object, type } of [after, before]) {
    if (options.large === true) yield* validateTypedInPasses(object, type, { allowDuplicates: true });
    else validateTyped(object, type, { allowDuplicates: true });
    yield;
  }
  yield* updateOwnership(before, after, managed, currentOperation, {
    convert,
    resetFields: options.resetFields ?? new FieldSet(),
    resetVersions: options.resetVersions,
    large: options.large === true,
  });
  yield;
  stripUntracked(managed, currentOperation);
  yield* mergeCurrent(managed, options, owned);
  capUpdateManagers(managed);
}

/** `owned` are the fields of the manager before the write. */
function* mergeCurrent(
  managed: Managed,
  options: TrackingOptions & { manager: string; now: number },
  owned: FieldSet | undefined,
): Passes<void> {
  const current = managed.fields.get(currentOperation);
  if (current === undefined) return;
  managed.fields.delete(currentOperation);
  const id = updaterId(options);
  const previous = managed.fields.get(id);
  const set = previous === undefined ? current.set : yield* united(current.set, previous.set, options);
  // Most managers change again what they own: the encoded form of the set is known.
  managed.fields.set(id, { ...current, set: owned?.equals(set) === true ? owned : set });
  managed.times.set(id, formatTime(options.now));
}

function* united(a: FieldSet, b: FieldSet, { large }: TrackingOptions): Passes<FieldSet> {
  return large === true ? yield* unionInPasses(a, b) : a.union(b);
}

const updaterId = ({
  manager,
  apiVersion,
  subresource,
}: Pick<UpdateTracking, 'manager' | 'apiVersion' | 'subresource'>): ManagerId =>
  managerId({
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update',
    apiVersion,
    ...(subresource ? { subresource } : {}),
  });

const untracked = FieldSet.of(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
);

/** Removes fields that have no owner: the identity of the object, and fields that the server sets. */
export function stripUntracked(managed: Managed, id: ManagerId): void {
  const owned = managed.fields.get(id);
  if (owned === undefined) return;
  const set = sharedDifference(owned.set, untracked, 'difference');
  if (set.isEmpty) managed.fields.delete(id);
  else managed.fields.set(id, { ...owned, set });
}
