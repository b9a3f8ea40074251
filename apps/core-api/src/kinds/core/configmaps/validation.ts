import {
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type JsonObject,
  type KubeObject,
} from '@annex/machinery';
import type { Validation } from '../../builtin-kind.ts';
import { dataSize, immutableErrors, keyErrors, keysOf, maxDataBytes } from '../shared/data.ts';

function contentErrors(configMap: KubeObject): FieldError[] {
  const { data, binaryData } = configMap;
  const binary = (isObject(binaryData) ? binaryData : {}) as JsonObject;
  // V8 sorts the names of objects with many members at each look.
  const keys = keysOf(data);
  const binaryKeys = keysOf(binaryData);
  const duplicates = keys
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) =>
      fieldErrors.invalid(FieldPath.of('data').key(key), key, 'duplicate of key present in binaryData'),
    );
  const errors = [
    ...keyErrors(keys, FieldPath.of('data')),
    ...duplicates,
    ...keyErrors(binaryKeys, FieldPath.of('binaryData')),
  ];
  const size = dataSize(data, keys, 'utf8') + dataSize(binaryData, binaryKeys, 'base64');
  return size > maxDataBytes ? [...errors, fieldErrors.tooLong('[]', '', maxDataBytes)] : errors;
}

/** Checks the keys of a ConfigMap, its size, and `immutable`. */
export const configMapValidation: Validation = {
  create: contentErrors,
  update: (configMap, old) => [
    ...immutableErrors(configMap, old, ['data', 'binaryData']),
    ...contentErrors(configMap),
  ],
};
