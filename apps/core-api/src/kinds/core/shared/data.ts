import type { FieldPath } from '@annex/machinery';
import {
  deepEqualInPasses,
  errorsInPasses,
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  namesInPasses,
  type Passes,
  validateConfigMapKey,
  visitedAtOnce,
} from '@annex/machinery';

/** Maximum bytes of the values of a ConfigMap or Secret together. */
export const maxDataBytes = 1024 * 1024;

/** Lists the keys of `data` or `binaryData`. */
export function* keysOf(value: unknown): Passes<string[]> {
  return isObject(value) ? yield* namesInPasses(value) : [];
}

/** Checks the keys of `data` and `binaryData`. */
export const keyErrors = (keys: readonly string[], path: FieldPath): Passes<FieldError[]> =>
  errorsInPasses(() =>
    errorsOfEach(keys, (key) =>
      validateConfigMapKey(key).map((why) => fieldErrors.invalid(path.key(key), key, why)),
    ),
  );

/** Returns the number of bytes of the values of these keys, after base64 decoding if they are encoded. */
export function* dataSize(value: unknown, keys: readonly string[], encoding: BufferEncoding): Passes<number> {
  let size = 0;
  for (const [i, key] of keys.entries()) {
    if (i % visitedAtOnce === visitedAtOnce - 1) yield;
    size += Buffer.byteLength(String(getOwn(value as JsonObject, key)), encoding);
  }
  return size;
}

/** Checks that an object with `immutable` does not change. */
export function* immutableErrors(
  object: KubeObject,
  old: KubeObject | undefined,
  fields: readonly string[],
): Passes<FieldError[]> {
  if (old?.immutable !== true) return [];
  const why = 'field is immutable when `immutable` is set';
  const errors = object.immutable === true ? [] : [fieldErrors.forbidden('immutable', why)];
  for (const field of fields) {
    const isSame = yield* deepEqualInPasses(getOwn(object, field) ?? {}, getOwn(old, field) ?? {});
    if (!isSame) errors.push(fieldErrors.forbidden(field, why));
  }
  return errors;
}
