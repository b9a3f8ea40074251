import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  pushAll,
  repetitions,
} from '@annex/machinery';
import { type Check, childOf, each, isMissing, objectsOf, required } from '../checks.ts';
import { downwardItem, keyFile, localPath, mode } from './volume-files.ts';

const { invalid } = fieldErrors;

const sources = [
  'secret',
  'configMap',
  'downwardAPI',
  'serviceAccountToken',
  'clusterTrustBundle',
  'podCertificate',
];

const mostTokenSeconds = 2 ** 32;

/** Checks the volume that several sources share: no two of them may write the same file. */
export const projectedVolume: Check = (value, at) => {
  const volume: JsonObject = isObject(value) ? value : {};
  const isRepeated = repetitions();
  const isTaken = (path: unknown): boolean => !isMissing(path) && isRepeated(path);
  const conflict = (quoted: unknown) => invalid(at, quoted, 'conflicting duplicate paths');
  const keyed = (source: JsonObject, path: FieldPath): FieldError[] => [
    ...required()(source.name, path.child('name')),
    ...errorsOfEach(objectsOf(source.items), (item, index) => [
      ...keyFile(item, path.child('items').index(index)),
      ...(isTaken(item.path) ? [conflict(source.name ?? '')] : []),
    ]),
  ];
  const downward = (source: JsonObject, path: FieldPath): FieldError[] =>
    errorsOfEach(objectsOf(source.items), (item) => [
      ...downwardItem(item, path),
      ...(isTaken(item.path) ? [conflict(item.path)] : []),
    ]);
  const token = (source: JsonObject, path: FieldPath): FieldError[] => [
    ...tokenSeconds(source.expirationSeconds, path.child('expirationSeconds')),
    ...required(localPath)(source.path, at.child('path')),
  ];
  const checks: Readonly<Record<string, (source: JsonObject, path: FieldPath) => FieldError[]>> = {
    secret: keyed,
    configMap: keyed,
    downwardAPI: downward,
    serviceAccountToken: token,
  };
  const one: Check = (item, path) => {
    const source: JsonObject = isObject(item) ? item : {};
    const provided = sources.filter((name) => isObject(getOwn(source, name)));
    const errors: FieldError[] = [];
    for (const name of provided)
      pushAll(errors, getOwn(checks, name)?.(childOf(source, name), path.child(name)) ?? []);
    if (provided.length > 1)
      errors.push(fieldErrors.forbidden(path, 'may not specify more than 1 volume type per source'));
    return errors;
  };
  return [
    ...mode(volume.defaultMode, at.child('defaultMode')),
    ...each(one)(volume.sources, at.child('sources')),
  ];
};

function tokenSeconds(value: unknown, at: FieldPath): FieldError[] {
  const seconds = Number(value ?? 3600);
  if (seconds < 600) return [invalid(at, value, 'may not specify a duration less than 10 minutes')];
  if (seconds <= mostTokenSeconds) return [];
  return [invalid(at, value, 'may not specify a duration larger than 2^32 seconds')];
}
