import {
  deepEqual,
  type FieldError,
  fieldErrors,
  isObject,
  type JsonObject,
  type KubeObject,
  validateDns1123Subdomain,
} from '@annex/machinery';
import {
  type Check,
  childOf,
  fields,
  isMissing,
  oneOf,
  required,
  selector,
  text,
} from '../../shared/checks.ts';
import { validateAccessModes } from '../shared/volumes.ts';

/** Checks a reference to the object that the volume is filled from. */
const dataSource: Check = (value, at) => {
  if (!isObject(value)) return [];
  const { apiGroup, kind, name } = value;
  const text = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...required()(name, at.child('name')),
    ...required()(kind, at.child('kind')),
    ...(isMissing(apiGroup) && kind !== 'PersistentVolumeClaim'
      ? [fieldErrors.invalid(at, kind ?? '', text)]
      : []),
  ];
};

/** Checks the spec of a claim. */
export const validateClaimSpec: Check = (value, at) =>
  fields({
    selector,
    accessModes: validateAccessModes,
    resources: (resources, where) =>
      childOf(resources, 'requests').storage === undefined
        ? [fieldErrors.required(where.key('storage'))]
        : [],
    storageClassName: text(validateDns1123Subdomain),
    volumeMode: oneOf('Block', 'Filesystem'),
    dataSource,
    dataSourceRef: dataSource,
    volumeAttributesClassName: text(validateDns1123Subdomain),
  })(value, at);

const immutableText =
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n';

/** Returns the parts of a spec that an update may not change. A name of a volume or of a class may be set once. */
function fixedParts(spec: JsonObject, before: JsonObject, isBound: boolean): JsonObject {
  const fixed = { ...spec };
  if (isMissing(before.volumeName)) delete fixed.volumeName;
  if ((before.storageClassName ?? null) === null) delete fixed.storageClassName;
  if (!isBound) return fixed;
  delete fixed.volumeAttributesClassName;
  const { requests, ...resources } = childOf(spec, 'resources');
  const { storage: _, ...others } = childOf({ requests }, 'requests');
  return { ...fixed, resources: { ...resources, requests: others } };
}

/** Checks that an update does not change immutable parts of the spec of a claim. */
export function validateClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  const isBound = childOf(claim, 'status').phase === 'Bound';
  const before = childOf(old, 'spec');
  const fixed = [childOf(claim, 'spec'), before].map((spec) => fixedParts(spec, before, isBound));
  return deepEqual(fixed[0] ?? {}, fixed[1] ?? {}) ? [] : [fieldErrors.forbidden('spec', immutableText)];
}
