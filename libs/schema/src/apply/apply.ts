import {
  badRequest,
  deepCopyInPasses,
  finish,
  formatTime,
  isObject,
  type JsonObject,
  type KubeObject,
  parseGroupVersion,
  type Passes,
  unclassified,
} from '@annex/machinery';
import { conflictStatusInPasses } from './apply-conflict.ts';
import { allowedConflicts, setLastApplied } from './apply-last-applied.ts';
import {
  createBase,
  metaText,
  type TrackingOptions,
  type TypedView,
  typedView,
  withoutManagedFields,
} from './apply-object.ts';
import { applyOwnership, ConflictError, type TypedObject } from './apply-ownership.ts';
import { FieldSet } from '../managed-fields/field-set.ts';
import { decodeManagedFieldsInPasses, type Managed, managerId } from '../managed-fields/managed-fields.ts';
import { recordUpdate, setManagedFields, stripUntracked } from '../managed-fields/managed-fields-update.ts';
import { TypedError } from '../typed-values/typed-value.ts';
import { validateTyped, validateTypedInPasses } from '../typed-values/typed-validate.ts';

/** A server-side apply at one endpoint. */
export interface ApplyRequest extends TrackingOptions {
  /** Absent if the apply creates the object. */
  live?: KubeObject | undefined;
  /** The applied configuration as the client sent it; its kind is not validated yet. */
  applied: JsonObject | KubeObject;
  /** The kind of the endpoint. */
  kind: string;
  manager: string;
  force: boolean;
  /** The error if this kind cannot be converted; then only an apply without changes succeeds. */
  convertError?: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The field manager that can take ownership from client-side apply. */
const kubectl = 'kubectl';

/**
 * Merges an applied configuration into the live object (server-side apply) and returns the result with its managedFields. It
 * shares only the FieldsV1 of unchanged entries with `live` and `applied`. Without a change the result equals `live`.
 * Throws a StatusError as kube-apiserver does: 409 with every conflict, 400 for another kind or for managedFields in the
 * configuration, 500 for a configuration that does not match the schema.
 */
export const applyPatch = (request: ApplyRequest): KubeObject => finish(applyPatchInPasses(request)).object;

/** The result of an apply. */
export interface Applied {
  object: KubeObject;
  /** False if the object equals `live`; only its managedFields may differ. */
  changed: boolean;
}

/** The same for a large object, in passes over it. */
export function* applyPatchInPasses(request: ApplyRequest): Passes<Applied> {
  checkApplied(request);
  const managed = yield* decodeLive(request.live);
  const live = request.live ?? createBase(request.schema, request.applied, true, request.empty);
  if (managed.fields.size === 0 && request.live !== undefined) {
    yield* claimUntracked(request.live, managed, request);
  }
  yield;
  const run = yield* prepare(live, request);
  yield;
  const changed = yield* applyOrUpgrade(run, managed);
  if (changed !== undefined && request.convertError !== undefined) {
    const name = printObject(request.applied as JsonObject, request);
    throw unclassified(`failed to convert new object (${name}) to proper version: ${request.convertError}`);
  }
  yield;
  const result = (yield* deepCopyInPasses(changed ?? run.live.object)) as unknown as KubeObject;
  yield;
  result.metadata ??= {};
  if (request.manager === kubectl) setLastApplied(result, request.applied as JsonObject);
  return { object: yield* setManagedFields(result, managed), changed: changed !== undefined };
}

function checkApplied({ apiVersion, kind, ...request }: ApplyRequest): void {
  const applied = request.applied as JsonObject;
  const [appliedVersion, appliedKind] = [textOf(applied['apiVersion']), textOf(applied['kind'])];
  if (appliedVersion !== apiVersion || appliedKind !== kind) {
    throw badRequest(`invalid object type: ${printKind(appliedVersion, appliedKind)}`);
  }
  const managedFields = isObject(applied['metadata']) ? applied['metadata']['managedFields'] : undefined;
  if (Array.isArray(managedFields) && managedFields.every(isObject)) {
    throw badRequest('metadata.managedFields must be nil');
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function* decodeLive(live: KubeObject | undefined): Passes<Managed> {
  try {
    return yield* decodeManagedFieldsInPasses(live?.metadata.managedFields);
  } catch (error) {
    throw unclassified(
      `failed to decode managed fields: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Makes `before-first-apply` the owner of all fields, on the first apply to an object without managedFields. */
function* claimUntracked(live: KubeObject, managed: Managed, request: ApplyRequest): Passes<void> {
  if (request.convertError !== undefined) {
    const detail = `failed to convert live object (/; ${printKind(request.apiVersion, request.kind)}) to proper version: ${request.convertError}`;
    throw unclassified(`failed to create manager for existing fields: ${detail}`);
  }
  const empty = createBase(request.schema, live, request.typed === true, request.empty);
  try {
    yield* recordUpdate(empty, live, managed, { ...request, manager: 'before-first-apply' });
  } catch (error) {
    const name = printObject(live as unknown as JsonObject, request);
    throw typedFailure(
      error,
      `failed to create manager for existing fields: failed to convert new object (${name}) to smd typed: `,
    );
  }
}

/** An apply with its typed objects. */
interface ApplyRun {
  request: ApplyRequest;
  view: TypedView;
  live: TypedObject;
  applied: TypedObject;
}

function* prepare(live: KubeObject, request: ApplyRequest): Passes<ApplyRun> {
  const view = typedView(request);
  const applied = view.view(request.applied as JsonObject);
  const liveView = view.view(withoutManagedFields(live));
  yield* checkTyped(applied, 'patch', request, false);
  yield;
  yield* checkTyped(liveView, 'live', request, true);
  return { request, view, live: liveView, applied };
}

function* checkTyped(
  { object, type }: TypedObject,
  what: string,
  request: ApplyRequest,
  allowDuplicates: boolean,
): Passes<void> {
  try {
    if (request.large === true) yield* validateTypedInPasses(object, type, { allowDuplicates });
    else validateTyped(object, type, { allowDuplicates });
  } catch (error) {
    const name = printObject(object, request);
    throw typedFailure(error, `failed to create typed ${what} object (${name}): `);
  }
}

function* applyOrUpgrade(run: ApplyRun, managed: Managed): Passes<JsonObject | undefined> {
  const before: Managed = { ...managed, fields: new Map(managed.fields) };
  try {
    return yield* applyOnce(run, managed, run.request.force);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw typedFailure(error, '');
    const allowed = run.request.manager === kubectl ? allowedConflicts(run.live, run.request) : undefined;
    const conflicts =
      allowed === undefined ? error.conflicts : error.conflicts.filter(({ path }) => !allowed.has(path));
    if (conflicts.length > 0) throw yield* conflictStatusInPasses(conflicts);
    managed.fields = before.fields;
    return yield* applyOnce(run, managed, true);
  }
}

function* applyOnce(run: ApplyRun, managed: Managed, force: boolean): Passes<JsonObject | undefined> {
  const { request, view, live, applied } = run;
  const id = managerId({
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply',
    ...(request.subresource ? { subresource: request.subresource } : {}),
  });
  const { resetFields = new FieldSet(), resetVersions, large = false } = request;
  const options = { convert: view.convert, resetFields, resetVersions, force, large };
  const changed = yield* applyOwnership(live, applied, managed, id, options);
  stripUntracked(managed, id);
  if (changed !== undefined) managed.times.set(id, formatTime(request.now));
  return changed;
}

const typedFailure = (error: unknown, prefix: string): unknown =>
  error instanceof TypedError ? unclassified(prefix + error.message) : error;

const printObject = (object: JsonObject, { apiVersion, kind }: ApplyRequest): string =>
  `${metaText(object, 'namespace')}/${metaText(object, 'name')}; ${printKind(apiVersion, kind)}`;

/** Formats a type like Go; the type is empty if the apiVersion does not parse. */
function printKind(apiVersion: string, kind: string): string {
  if (apiVersion.split('/').length > 2) return '/, Kind=';
  const { group, version } = parseGroupVersion(apiVersion);
  return `${group}/${version}, Kind=${kind}`;
}
