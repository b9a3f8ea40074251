import {
  badRequest,
  copyInPasses,
  countMember,
  failure,
  finish,
  getOwn,
  isKnownWide,
  isObject,
  type JsonObject,
  jsonTypeName,
  type JsonValue,
  namesInPasses,
  type Passes,
  noteMembers,
  setOwn,
  type StatusError,
  unclassified,
  visitedAtOnce,
} from '@annex/machinery';
import type { SchemaNode } from '../node.ts';
import { mergeLists, orderLists } from './strategic-merge-list.ts';
import {
  asArray,
  badFormat,
  withoutDirectives,
  deletePrefix,
  directiveKey,
  directiveMarker,
  orderPrefix,
  retainKeys,
  StrategicMergeError,
  unknownDirective,
} from './strategic-merge-directives.ts';

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the result, which shares unchanged parts with
 * the arguments. Throws a StatusError: 400 for an invalid patch or directive, 413 for too many members of one map, 500 without a reason for
 * errors without a status in kube-apiserver, such as list items without a merge key.
 */
export const applyStrategicMergePatch = (
  object: JsonObject,
  patch: unknown,
  schema: SchemaNode,
): JsonObject => finish(applyStrategicMergePatchInPasses(object, patch, schema));

/** The same in passes over the items of long lists. */
export function* applyStrategicMergePatchInPasses(
  object: JsonObject,
  patch: unknown,
  schema: SchemaNode,
): Passes<JsonObject> {
  if (patch === null) return object;
  if (!isObject(patch)) {
    throw badRequest(
      `json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  try {
    return yield* mergeMaps(object, patch, schema);
  } catch (error) {
    throw error instanceof StrategicMergeError ? statusOf(error) : error;
  }
}

function statusOf({ reason, message }: StrategicMergeError): StatusError {
  if (reason === 'BadRequest') return badRequest(message);
  return reason === 'Invalid'
    ? failure('Invalid', 'the server rejected our request due to an error in our request', {})
    : unclassified(message);
}

/** Merges a patch of a map; `node` is the schema of the map. */
export function* mergeMaps(
  original: JsonObject,
  patch: JsonObject,
  node: SchemaNode | undefined,
): Passes<JsonObject> {
  if (Object.hasOwn(patch, directiveMarker)) return yield* followMapDirective(patch);
  // Most maps are small: they take no further generators.
  const isCopied = !Object.hasOwn(patch, retainKeys) && !isKnownWide(original);
  const copy = isCopied ? undefined : yield* retained(original, patch);
  const merged = copy?.fields ?? { ...original };
  // The members of a small map are not counted: they are few.
  let members = copy?.members ?? 0;
  const names = isKnownWide(patch) ? yield* namesInPasses(patch) : Object.keys(patch);
  const done = names.some(isOrder) ? yield* mergeOrderedLists(merged, patch, node) : none;
  for (const [i, key] of names.entries()) {
    if (i > 0 && i % visitedAtOnce === 0) yield;
    if (done.has(key) || key === retainKeys) continue;
    const isDeletion = key.startsWith(deletePrefix);
    const name = isDeletion ? directiveKey(key, deletePrefix) : key;
    const value = getOwn(patch, key) as JsonValue;
    const existed = Object.hasOwn(merged, name);
    if (value === null) delete merged[name];
    else if (typeof value === 'object') yield* mergeField(merged, name, value, isDeletion, node);
    else if (!isDeletion) setOwn(merged, name, value);
    members += Number(Object.hasOwn(merged, name)) - Number(existed);
    countMember(merged, members, name);
  }
  return merged;
}

const isOrder = (name: string): boolean => name.startsWith(orderPrefix);
const none: ReadonlySet<string> = new Set();

function* followMapDirective(patch: JsonObject): Passes<JsonObject> {
  const { [directiveMarker]: directive, ...rest } = patch;
  if (directive === 'replace') return yield* copyInPasses(rest);
  if (directive === 'delete') return {};
  throw unknownDirective(directive as JsonValue, patch);
}

/** A copy of a map, and how many members it has. */
interface CopiedMap {
  fields: JsonObject;
  members: number;
}

/** Copies the map with the fields in `$retainKeys`, or with all fields without this directive. */
function* retained(original: JsonObject, patch: JsonObject): Passes<CopiedMap> {
  if (!Object.hasOwn(patch, retainKeys)) return yield* copyFields(original, () => true);
  const list = patch[retainKeys];
  if (!Array.isArray(list)) throw badFormat('retainKeys');
  const keep = new Set<JsonValue>(list);
  for (const key of Object.keys(patch)) {
    if (
      key === retainKeys ||
      patch[key] === null ||
      key.startsWith(deletePrefix) ||
      key.startsWith(orderPrefix)
    )
      continue;
    if (!keep.has(key)) throw badFormat('retainKeys');
  }
  return yield* copyFields(original, (key) => keep.has(key));
}

function* copyFields(from: JsonObject, keep: (key: string) => boolean): Passes<CopiedMap> {
  const fields: JsonObject = {};
  let members = 0;
  for (const [i, key] of (yield* namesInPasses(from)).entries()) {
    if (i > 0 && i % visitedAtOnce === 0) yield;
    if (!keep(key)) continue;
    setOwn(fields, key, getOwn(from, key));
    members++;
  }
  noteMembers(fields, members);
  return { fields, members };
}

/** Merges the lists with `$setElementOrder`; returns the keys of the patch that this handles. */
function* mergeOrderedLists(
  merged: JsonObject,
  patch: JsonObject,
  node: SchemaNode | undefined,
): Passes<Set<string>> {
  const done = new Set<string>();
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix)) continue;
    done.add(key);
    const order = asArray(patch[key]);
    const name = directiveKey(key, orderPrefix);
    const live = getOwn(merged, name) as JsonValue | undefined;
    const original = live === undefined || live === null ? undefined : asArray(live);
    const patched = Object.hasOwn(patch, name) ? asArray(patch[name]) : undefined;
    if (original === undefined && patched === undefined) continue;
    const field = fieldNode(node, name);
    setOwn(merged, name, yield* orderLists(original, patched, order, field, mergeMaps));
    done.add(name);
  }
  return done;
}

function* mergeField(
  merged: JsonObject,
  name: string,
  patch: JsonObject | JsonValue[],
  isDeletion: boolean,
  node: SchemaNode | undefined,
): Passes<void> {
  const original = getOwn(merged, name) as JsonValue | undefined;
  if (original !== undefined && isObject(original) && isObject(patch)) {
    const field = fieldNode(node, name);
    setOwn(
      merged,
      name,
      field.patchStrategy === 'replace'
        ? yield* copyInPasses(patch)
        : yield* mergeMaps(original, patch, field),
    );
  } else if (Array.isArray(original) && Array.isArray(patch)) {
    setOwn(merged, name, yield* mergeLists(original, patch, fieldNode(node, name), mergeMaps, isDeletion));
  } else if (!isDeletion) {
    const value = yield* withoutDirectives(patch);
    if (value === undefined) delete merged[name];
    else setOwn(merged, name, value);
  }
}

/** Returns the schema of a field to merge. Throws unless the node is a Go struct with this field. */
function fieldNode(node: SchemaNode | undefined, name: string): SchemaNode {
  if (node?.properties === undefined && node?.additionalProperties !== undefined) {
    throw new StrategicMergeError('merging an object in json but data type is not struct, instead is: map');
  }
  const field = node?.properties?.get(name);
  if (field === undefined)
    throw new StrategicMergeError(`unable to find api field for the json field ${JSON.stringify(name)}`);
  return field;
}
