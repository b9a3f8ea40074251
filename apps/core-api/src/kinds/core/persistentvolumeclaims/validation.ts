import {
  deepEqual,
  type FieldError,
  fieldErrors,
  fieldImmutable,
  getOwn,
  isObject,
  type JsonObject,
  keepEmptyFields,
  type JsonValue,
  type KubeObject,
  Quantity,
  setOwn,
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
import { internalDiff } from '../../shared/internal-diff.ts';
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
  'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** Checks that an update does not change immutable parts of the spec of a claim. */
export function validateClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  const isBound = childOf(claim, 'status').phase === 'Bound';
  const [spec, before] = [childOf(claim, 'spec'), childOf(old, 'spec')];
  const compared = isMissing(before.volumeName) ? withField(before, 'volumeName', spec) : before;
  const restored = restoreMutable(spec, before, isBound);
  return [
    ...(deepEqual(restored, compared)
      ? []
      : [
          forbidden(
            'spec',
            `${immutableText}\n${internalDiff('PersistentVolumeClaimSpec', compared, restored)}`,
          ),
        ]),
    ...sizeErrors(spec, old),
    ...(spec.volumeMode === before.volumeMode
      ? []
      : [invalid('volumeMode', spec.volumeMode ?? null, fieldImmutable)]),
    ...attributesErrors(spec, old),
  ];
}

/** Returns the spec with the previous values of what may change: a class once, the size and the attributes of a bound claim. */
function restoreMutable(spec: JsonObject, before: JsonObject, isBound: boolean): JsonObject {
  const hasClass = (before.storageClassName ?? null) !== null;
  const restored = hasClass ? spec : withField(spec, 'storageClassName', before);
  if (!isBound) return restored;
  const claimed = withField(restored, 'volumeAttributesClassName', before);
  const resources = childOf(spec, 'resources');
  if (!isObject(resources.requests)) return claimed;
  const requests = withField(
    resources.requests,
    'storage',
    childOf(childOf(before, 'resources'), 'requests'),
  );
  return { ...claimed, resources: { ...resources, requests } };
}

/** Returns an object with a field as another object has it. */
function withField(object: JsonObject, name: string, other: JsonObject): JsonObject {
  const copy = keepEmptyFields({ ...object }, object);
  const value = getOwn(other, name) as JsonValue | undefined;
  if (value === undefined) delete copy[name];
  else setOwn(copy, name, value);
  return copy;
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
