import type { FieldPath } from '@annex/machinery';
import {
  deepEqual,
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  validateConfigMapKey,
} from '@annex/machinery';

/** Maximum bytes of the values of a ConfigMap or Secret together. */
export const maxDataBytes = 1024 * 1024;

export const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

/** Checks the keys of `data` and `binaryData`. */
export function keyErrors(keys: readonly string[], path: FieldPath): FieldError[] {
  return errorsOfEach(keys, (key) =>
    validateConfigMapKey(key).map((why) => fieldErrors.invalid(path.key(key), key, why)),
  );
}

/** Returns the number of bytes of the values of these keys, after base64 decoding if they are encoded. */
export function dataSize(value: unknown, keys: readonly string[], encoding: BufferEncoding): number {
  let size = 0;
  for (const key of keys) size += Buffer.byteLength(String(getOwn(value as JsonObject, key)), encoding);
  return size;
}

/** Checks that an object with `immutable` does not change. */
export function immutableErrors(
  object: KubeObject,
  old: KubeObject,
  fields: readonly string[],
): FieldError[] {
  if (old.immutable !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  const same = (field: string) => deepEqual(getOwn(object, field) ?? {}, getOwn(old, field) ?? {});
  return [
    ...(object.immutable === true ? [] : [fieldErrors.forbidden('immutable', why)]),
    ...fields.filter((field) => !same(field)).map((field) => fieldErrors.forbidden(field, why)),
  ];
}
