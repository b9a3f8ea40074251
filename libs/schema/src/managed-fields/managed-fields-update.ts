import {
  finish,
  formatTime,
  type KubeObject,
  type ManagedFieldsEntry,
  type Passes,
  StatusError,
} from '@annex/machinery';
import { createBase, type TrackingOptions, typedView, withoutManagedFields } from '../apply/apply-object.ts';
import { updateOwnership } from '../apply/apply-ownership.ts';
import { FieldSet } from './field-set.ts';
import {
  capUpdateManagers,
  decodeManagedFields,
  encodeManagedFieldsInPasses,
  isManagedFieldsReset,
  type Managed,
  managerId,
  type ManagerId,
  noManagedFields,
} from './managed-fields.ts';
import { TypedError } from '../typed-values/typed-value.ts';
import { validateTyped } from '../typed-values/typed-validate.ts';

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
  const managed = decodeLiveOrNew(live, updated, (options.subresource ?? '') !== '');
  // An object without managedFields stays untracked until the first apply.
  if (managed.fields.size === 0 && live?.metadata.uid !== undefined) return managed;
  yield;
  try {
    const before = live ?? createBase(options.schema, updated, options.typed === true, options.empty);
    yield* recordUpdate(before, updated, managed, options);
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

function decodeLiveOrNew(live: KubeObject | undefined, updated: KubeObject, isSubresource: boolean): Managed {
  const sent = updated.metadata.managedFields;
  if (!isSubresource) {
    if (isManagedFieldsReset(sent)) return noManagedFields();
    const managed = decodeOrNone(sent);
    if (managed.fields.size > 0) return managed;
  }
  return decodeOrNone(live?.metadata.managedFields);
}

function decodeOrNone(entries: readonly ManagedFieldsEntry[] | undefined): Managed {
  try {
    return decodeManagedFields(entries);
  } catch {
    return noManagedFields();
  }
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
  const after = view(withoutManagedFields(updated));
  const before = view(withoutManagedFields(live));
  for (const { object, type } of [after, before]) {
    validateTyped(object, type, { allowDuplicates: true });
    yield;
  }
  yield* updateOwnership(before, after, managed, currentOperation, {
    convert,
    resetFields: options.resetFields ?? new FieldSet(),
  });
  yield;
  stripUntracked(managed, currentOperation);
  mergeCurrent(managed, options);
  capUpdateManagers(managed);
}

function mergeCurrent(managed: Managed, options: TrackingOptions & { manager: string; now: number }): void {
  const current = managed.fields.get(currentOperation);
  if (current === undefined) return;
  managed.fields.delete(currentOperation);
  const id = managerId({
    manager: options.manager === '' ? 'unknown' : options.manager,
    operation: 'Update',
    apiVersion: options.apiVersion,
    ...(options.subresource ? { subresource: options.subresource } : {}),
  });
  const previous = managed.fields.get(id);
  managed.fields.set(
    id,
    previous === undefined ? current : { ...current, set: current.set.union(previous.set) },
  );
  managed.times.set(id, formatTime(options.now));
}

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
  const set = owned.set.difference(untracked);
  if (set.isEmpty) managed.fields.delete(id);
  else managed.fields.set(id, { ...owned, set });
}
