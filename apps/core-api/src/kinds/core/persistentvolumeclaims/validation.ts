import {
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  isObject,
  type JsonObject,
  type KubeObject,
  Quantity,
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

const { forbidden, invalid } = fieldErrors;

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
function fixedParts(spec: JsonObject, before: JsonObject, isBound: boolean, isSized: boolean): JsonObject {
  const fixed = { ...spec };
  if (isMissing(before.volumeName)) delete fixed.volumeName;
  if ((before.storageClassName ?? null) === null) delete fixed.storageClassName;
  if (!isBound) return fixed;
  delete fixed.volumeAttributesClassName;
  if (!isSized) return fixed;
  const { requests, ...resources } = childOf(spec, 'resources');
  const { storage: _, ...others } = childOf({ requests }, 'requests');
  return { ...fixed, resources: { ...resources, requests: others } };
}

/** Checks that an update does not change immutable parts of the spec of a claim. */
export function validateClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  const isBound = childOf(claim, 'status').phase === 'Bound';
  const [spec, before] = [childOf(claim, 'spec'), childOf(old, 'spec')];
  const isSized = isObject(childOf(spec, 'resources').requests);
  const fixed = [spec, before].map((each) => fixedParts(each, before, isBound, isSized));
  return [
    ...(deepEqual(fixed[0] ?? {}, fixed[1] ?? {}) ? [] : [forbidden('spec', immutableText)]),
    ...sizeErrors(spec, old),
    ...(spec.volumeMode === before.volumeMode
      ? []
      : [invalid('volumeMode', spec.volumeMode ?? null, fieldImmutable)]),
    ...attributesErrors(spec, old),
  ];
}

/** A claim shrinks only after a failed expansion, and remains larger than its volume. */
function sizeErrors(spec: JsonObject, old: KubeObject): FieldError[] {
  const sizeIn = (amounts: JsonObject): Quantity => Quantity.parse(String(amounts.storage ?? '0'));
  const requested = (of: JsonObject): Quantity => sizeIn(childOf(childOf(of, 'resources'), 'requests'));
  const size = requested(spec);
  if (size.compare(requested(childOf(old, 'spec'))) >= 0) return [];
  if (size.compare(sizeIn(childOf(childOf(old, 'status'), 'capacity'))) > 0) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

/** A class of attributes that a volume has is replaced by another one only. */
function attributesErrors(spec: JsonObject, old: KubeObject): FieldError[] {
  const [name, before] = [spec, childOf(old, 'spec')].map((of) => of.volumeAttributesClassName ?? null);
  const isUsed = (childOf(old, 'status').currentVolumeAttributesClassName ?? null) !== null;
  if (!isUsed || name === before || (name !== null && name !== '')) return [];
  const what = name === null ? 'nil' : 'empty string';
  const why = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [forbidden('spec.volumeAttributesClassName', why)];
}
