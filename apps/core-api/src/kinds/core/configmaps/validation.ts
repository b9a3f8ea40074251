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
  const duplicates = keysOf(data)
    .filter((key) => Object.hasOwn(binary, key))
    .map((key) =>
      fieldErrors.invalid(FieldPath.of('data').key(key), key, 'duplicate of key present in binaryData'),
    );
  const errors = [
    ...keyErrors(data, FieldPath.of('data')),
    ...duplicates,
    ...keyErrors(binaryData, FieldPath.of('binaryData')),
  ];
  const size = dataSize(data, 'utf8') + dataSize(binaryData, 'base64');
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
