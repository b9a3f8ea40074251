import {
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type KubeObject,
  type Passes,
} from '@annex/machinery';
import type { Validation } from '../../builtin-kind.ts';
import { dataSize, immutableErrors, keyErrors, keysOf, maxDataBytes } from '../shared/data.ts';

function* contentErrors(configMap: KubeObject): Passes<FieldError[]> {
  const { data, binaryData } = configMap;
  const binary = (isObject(binaryData) ? binaryData : {}) as JsonObject;
  const keys = yield* keysOf(data);
  const binaryKeys = yield* keysOf(binaryData);
  const duplicates = keys
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) =>
      fieldErrors.invalid(FieldPath.of('data').key(key), key, 'duplicate of key present in binaryData'),
    );
  const errors = [
    ...(yield* keyErrors(keys, FieldPath.of('data'))),
    ...duplicates,
    ...(yield* keyErrors(binaryKeys, FieldPath.of('binaryData'))),
  ];
  const size = (yield* dataSize(data, keys, 'utf8')) + (yield* dataSize(binaryData, binaryKeys, 'base64'));
  return size > maxDataBytes ? [...errors, fieldErrors.tooLong('[]', '', maxDataBytes)] : errors;
}

/** Checks the keys of a ConfigMap, its size, and `immutable`. */
export const configMapValidation: Validation = {
  *content(configMap, old) {
    const changes = yield* immutableErrors(configMap, old, ['data', 'binaryData']);
    return [...changes, ...(yield* contentErrors(configMap))];
  },
};
