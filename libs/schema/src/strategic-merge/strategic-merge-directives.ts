import {
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  namesInPasses,
  type Passes,
  setOwn,
  visitedAtOnce,
} from '@annex/machinery';
import { goText, goTypeName } from '../typed-values/typed-value.ts';

/** In a map or list item: `delete`, `replace` or `merge`. */
export const directiveMarker = '$patch';
/** `$deleteFromPrimitiveList/<field>`: the values to remove from a list of scalars. */
export const deletePrefix = '$deleteFromPrimitiveList';
/** `$setElementOrder/<field>`: the order of a merged list. */
export const orderPrefix = '$setElementOrder';
/** `$retainKeys`: the fields of a map to keep; all others are removed. */
export const retainKeys = '$retainKeys';

/** The error of a strategic merge patch. `reason` selects the response of kube-apiserver; without it, 500 with the message. */
export class StrategicMergeError extends Error {
  readonly reason: 'BadRequest' | 'Invalid' | undefined;

  constructor(message: string, reason?: 'BadRequest' | 'Invalid') {
    super(message);
    this.name = 'StrategicMergeError';
    this.reason = reason;
  }
}

export const badFormat = (
  what: 'primitive list' | 'retainKeys' | 'setElementOrder list',
): StrategicMergeError => new StrategicMergeError(`invalid patch format of ${what}`, 'BadRequest');

export const noMergeKey = (item: JsonObject, key: string): StrategicMergeError =>
  new StrategicMergeError(`map: ${goText(item)} does not contain declared merge key: ${key}`);

export const unknownDirective = (directive: JsonValue, map: JsonObject): StrategicMergeError =>
  new StrategicMergeError(`unknown patch type: ${asString(directive)} in map: ${goText(map)}`);

// kube-apiserver formats a value that should be a string with `%s`.
const asString = (value: JsonValue): string =>
  typeof value === 'string' ? value : `%!s(${goTypeName(value)}=${goText(value)})`;

/** Returns the field of a parallel directive: `finalizers` of `$deleteFromPrimitiveList/finalizers`. */
export function directiveKey(key: string, prefix: string): string {
  if (!key.startsWith(`${prefix}/`)) {
    throw badFormat(prefix === deletePrefix ? 'primitive list' : 'setElementOrder list');
  }
  return key.slice(prefix.length + 1);
}

export function asArray(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw typeError('[]interface {}', value ?? null);
}

export function asItemMap(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw typeError('map[string]interface {}', value);
}

const typeError = (expected: string, actual: JsonValue): StrategicMergeError =>
  new StrategicMergeError(
    `expected a ${expected}, but received a ${actual === null ? '%!s(<nil>)' : goTypeName(actual)}`,
  );

/**
 * Copies a patch value for a field that the original lacks: without nulls in maps, and without maps that have a `$patch`
 * directive; `undefined` if the value is such a map.
 */
export function* withoutDirectives(value: JsonValue): Passes<JsonValue | undefined> {
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const [i, item] of value.entries()) {
      if (i > 0 && i % visitedAtOnce === 0) yield;
      const clean = yield* withoutDirectives(item);
      if (clean !== undefined) items.push(clean);
    }
    return items;
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directiveMarker)) return undefined;
  const kept: JsonObject = {};
  for (const [i, key] of (yield* namesInPasses(value)).entries()) {
    if (i > 0 && i % visitedAtOnce === 0) yield;
    const member = getOwn(value, key) as JsonValue;
    const clean = member === null ? undefined : yield* withoutDirectives(member);
    if (clean !== undefined) setOwn(kept, key, clean);
  }
  return kept;
}
