import { isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { goText, goTypeName } from '../typed-values/typed-value.ts';

/** In a map or list item: `delete`, `replace` or `merge`. */
export const directiveMarker = '$patch';
/** `$deleteFromPrimitiveList/<field>`: the values to be removed from a list of scalars. */
export const deletePrefix = '$deleteFromPrimitiveList';
/** `$setElementOrder/<field>`: the order of a merged list. */
export const orderPrefix = '$setElementOrder';
/** The fields of a map that stay; all others are cleared. */
export const retainKeys = '$retainKeys';

/** Why a strategic merge patch cannot be applied, and which answer kube gives; without one it is 500 with the message. */
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

// kube prints what should be a string with `%s`.
const asString = (value: JsonValue): string =>
  typeof value === 'string' ? value : `%!s(${goTypeName(value)}=${goText(value)})`;

/** The field that a parallel directive is about: `finalizers` of `$deleteFromPrimitiveList/finalizers`. */
export function directiveKey(key: string, prefix: string): string {
  if (!key.startsWith(`${prefix}/`)) {
    throw badFormat(prefix === deletePrefix ? 'primitive list' : 'setElementOrder list');
  }
  return key.slice(prefix.length + 1);
}

export function asArray(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  throw typeInvalid('[]interface {}', value ?? null);
}

export function asItemMap(value: JsonValue): JsonObject {
  if (isObject(value)) return value;
  throw typeInvalid('map[string]interface {}', value);
}

const typeInvalid = (expected: string, actual: JsonValue): StrategicMergeError =>
  new StrategicMergeError(
    `expected a ${expected}, but received a ${actual === null ? '%!s(<nil>)' : goTypeName(actual)}`,
  );

/**
 * A copy of a patch value as it is set where the original has none: without nulls in maps, and without what has a `$patch`
 * directive; `undefined` where that is the value itself.
 */
export function cleaned(value: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) return value.map(cleaned).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directiveMarker)) return undefined;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key] as JsonValue;
    const clean = member === null ? undefined : cleaned(member);
    if (clean !== undefined) setOwn(kept, key, clean);
  }
  return kept;
}
