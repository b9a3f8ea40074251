import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  validateConfigMapKey,
  validateDns1123Subdomain,
  validateEnvVarName,
  validateQualifiedName,
} from '@annex/machinery';
import { type Check, childOf, isMissing, required } from '../checks.ts';

const { invalid } = fieldErrors;

/** Fields of a pod that environment variables and files can contain. */
const podFields = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.hostNetwork',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
]);

const isPodField = (path: string): boolean =>
  podFields.has(path) || /^metadata\.(annotations|labels)\['[^']+'\]$/.test(path);

const variableFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const fileFields = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** Checks a reference of a variable to a field of the pod. */
const fieldReference = (reference: JsonObject, at: FieldPath) => podField(reference, variableFields, at);

/** Checks a reference of a file to a field of the pod. */
export const fileFieldReference = (reference: JsonObject, at: FieldPath) =>
  podField(reference, fileFields, at);

function podField(
  { apiVersion, fieldPath }: JsonObject,
  available: readonly string[],
  at: FieldPath,
): FieldError[] {
  const where = at.child('fieldPath');
  if (isMissing(apiVersion)) return [fieldErrors.required(at.child('apiVersion'))];
  if (isMissing(fieldPath)) return [fieldErrors.required(where)];
  const problem =
    apiVersion !== 'v1'
      ? `unsupported pod version: ${String(apiVersion)}`
      : isPodField(String(fieldPath))
        ? undefined
        : `field label not supported: ${String(fieldPath)}`;
  if (problem !== undefined) return [invalid(where, fieldPath, `error converting fieldPath: ${problem}`)];
  const path = String(fieldPath);
  if (path.endsWith("']")) {
    const key = path.slice(path.indexOf("['") + 2, -2);
    const name = path.startsWith('metadata.annotations') ? key.toLowerCase() : key;
    return validateQualifiedName(name).map((why) => invalid(at, name, why));
  }
  return available.includes(path) ? [] : [fieldErrors.notSupported(where, path, available)];
}

const amounts = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

export function resourceReference({ resource }: JsonObject, at: FieldPath): FieldError[] {
  const where = at.child('resource');
  if (isMissing(resource)) return [fieldErrors.required(where)];
  const known = amounts.includes(String(resource)) || /^(limits|requests)\.hugepages-/.test(String(resource));
  return known ? [] : [fieldErrors.notSupported(where, resource, amounts)];
}

const keyReference = ({ name, key }: JsonObject, at: FieldPath): FieldError[] => [
  ...validateDns1123Subdomain(String(name ?? '')).map((why) => invalid(at.child('name'), name ?? '', why)),
  ...(isMissing(key)
    ? [fieldErrors.required(at.child('key'))]
    : validateConfigMapKey(String(key)).map((why) => invalid(at.child('key'), key, why))),
];

const sources: Readonly<Record<string, (value: JsonObject, at: FieldPath) => FieldError[]>> = {
  fieldRef: fieldReference,
  resourceFieldRef: resourceReference,
  configMapKeyRef: keyReference,
  secretKeyRef: keyReference,
  fileKeyRef: () => [],
};

/** Checks the source of the value of a variable: exactly one, and no value in addition. */
export function valueFrom(variable: JsonObject, at: FieldPath): FieldError[] {
  const source = variable.valueFrom;
  if (!isObject(source)) return [];
  const where = at.child('valueFrom');
  const named = Object.keys(sources).filter((name) => isObject(getOwn(source, name)));
  const errors = named.flatMap(
    (name) => getOwn(sources, name)?.(childOf(source, name), where.child(name)) ?? [],
  );
  if (named.length === 0) {
    const all = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return [invalid(where, '', `must specify one of: ${all}`)];
  }
  if (!isMissing(variable.value)) {
    errors.push(invalid(where, '', 'may not be specified when `value` is not empty'));
  } else if (named.length > 1) {
    errors.push(invalid(where, '', 'may not have more than one field specified at a time'));
  }
  return errors;
}

/** Checks variables from a whole ConfigMap or Secret. */
export const envFrom: Check = (value, at) =>
  errorsOfEach(Array.isArray(value) ? value : [], (item: unknown, index) => {
    const source: JsonObject = isObject(item) ? item : {};
    const where = at.index(index);
    const provided = ['configMapRef', 'secretRef'].filter((name) => isObject(getOwn(source, name)));
    const prefix = String(source.prefix ?? '');
    const errors =
      prefix === ''
        ? []
        : validateEnvVarName(prefix).map((why) => invalid(where.child('prefix'), prefix, why));
    for (const name of provided)
      errors.push(...required(objectName)(childOf(source, name).name, where.child(name, 'name')));
    if (provided.length === 0)
      errors.push(invalid(at, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (provided.length > 1)
      errors.push(invalid(at, '', 'may not have more than one field specified at a time'));
    return errors;
  });

const objectName: Check = (value, at) =>
  validateDns1123Subdomain(String(value)).map((why) => invalid(at, value, why));
