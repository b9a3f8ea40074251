import {
  errorsOfMembers,
  emptyFieldOf,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  Quantity,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { all, type Check, fields, isMissing, oneOf, text } from '../../shared/checks.ts';
import { nodeSelector } from '../../shared/pod-spec/scheduling.ts';
import { validateAccessModes } from '../shared/volumes.ts';
import { volumeSources } from './sources.ts';

const { forbidden, invalid, notSupported, required } = fieldErrors;

const capacity: Check = (spec, where) => {
  const [{ capacity: value }, at] = [isObject(spec) ? spec : {}, where.child('capacity')];
  const amounts = isObject(value) ? value : {};
  const names = Object.keys(amounts);
  return [
    ...(names.length === 0 ? [required(at)] : []),
    ...(names.length === 1 && names[0] === 'storage'
      ? []
      : [notSupported(at, value ?? sentCapacity(spec), ['storage'])]),
    ...errorsOfMembers(amounts, (name, amount) => [...positive(amount, at.key(name))]),
  ];
};

const sentCapacity = (spec: unknown): unknown =>
  isObject(spec) ? emptyFieldOf(spec, 'capacity') : undefined;

const positive: Check = (value, at) => {
  const quantity = Quantity.parse(String(value));
  if (quantity.sign > 0) return [];
  const errors = [invalid(at, value, 'must be greater than zero')];
  if (quantity.sign < 0) errors.unshift(invalid(at, quantity.value(), 'must be a valid resource quantity'));
  return errors;
};

const nodeAffinity: Check = (value, at) => {
  if (!isObject(value)) return [];
  const path = at.child('required');
  return isObject(value.required)
    ? nodeSelector(value.required, path)
    : [required(path, 'must specify required node constraints')];
};

/** Checks that a volume has one type, and its fields. */
const volumeSource: Check = (value, at) => {
  const spec: JsonObject = isObject(value) ? value : {};
  const [first, ...others] = Object.keys(volumeSources).filter((name) => isObject(getOwn(spec, name)));
  if (first === undefined) return [required(at, 'must specify a volume type')];
  return [
    ...(getOwn(volumeSources, first)?.(getOwn(spec, first), at.child(first)) ?? []),
    ...(first === 'local' && !isObject(spec.nodeAffinity)
      ? [required(at.child('nodeAffinity'), 'Local volume requires node affinity')]
      : []),
    ...others.map((name) => forbidden(at.child(name), 'may not specify more than 1 volume type')),
  ];
};

const isRoot = (path: unknown): boolean =>
  String(path ?? '').startsWith('/') &&
  String(path)
    .split('/')
    .every((part) => part === '' || part === '.');

const recycling: Check = (value, at) => {
  const { hostPath, persistentVolumeReclaimPolicy: policy } = isObject(value) ? value : {};
  return isObject(hostPath) && isRoot(hostPath.path) && policy === 'Recycle'
    ? [
        forbidden(
          at.child('persistentVolumeReclaimPolicy'),
          "may not be 'recycle' for a hostPath mount of '/'",
        ),
      ]
    : [];
};

const attributesClass: Check = (value, at) => {
  const { volumeAttributesClassName: name, csi } = isObject(value) ? value : {};
  if (name === undefined || name === null) return [];
  const path = at.child('volumeAttributesClassName');
  return [
    ...(name === ''
      ? [required(path, 'an empty string is disallowed')]
      : validateDns1123Subdomain(String(name)).map((why) => invalid(path, name, why))),
    ...(isObject(csi)
      ? []
      : [required(at.child('csi'), 'has to be specified when using volumeAttributesClassName')]),
  ];
};

const className = fields({
  storageClassName: text(validateDns1123Subdomain),
  volumeMode: oneOf('Block', 'Filesystem'),
});

/** Checks the spec of a volume. */
export const validateVolumeSpec = all(
  fields({
    accessModes: (value, at) => (isMissing(value) ? [required(at)] : validateAccessModes(value, at)),
  }),
  capacity,
  fields({ persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'), nodeAffinity }),
  volumeSource,
  recycling,
  className,
  attributesClass,
);
