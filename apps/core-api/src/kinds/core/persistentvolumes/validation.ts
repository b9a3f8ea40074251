import { fieldErrors, isObject, Quantity, validateQualifiedName } from '@annex/machinery';
import { type Check, fields, oneOf } from '../../shared/checks.ts';
import { validateAccessModes } from '../shared/volumes.ts';

const { invalid } = fieldErrors;

const quantity: Check = (value, at) =>
  value !== undefined && Quantity.parse(String(value)).compare(Quantity.parse('0')) < 0
    ? [invalid(at, value, 'must be greater than or equal to 0')]
    : [];

const amounts: Check = (value, at) =>
  isObject(value)
    ? Object.entries(value).flatMap(([name, amount]) => [
        ...validateQualifiedName(name).map((why) => invalid(at.key(name), name, why)),
        ...quantity(amount, at.key(name)),
      ])
    : [];

const notVolumeSources = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

const volumeSource: Check = (value, at) => {
  const sources = isObject(value) ? Object.keys(value).filter((name) => !notVolumeSources.has(name)) : [];
  if (sources.length === 0) return [fieldErrors.required(at, 'must specify a volume type')];
  return sources
    .slice(1)
    .map((name) => fieldErrors.forbidden(at.child(name), 'may not specify more than 1 volume type'));
};

/** Checks the spec of a volume. */
export const validateVolumeSpec = fields(
  {
    accessModes: validateAccessModes,
    capacity: (value, at) => (isObject(value) ? amounts(value, at) : [fieldErrors.required(at)]),
    persistentVolumeReclaimPolicy: oneOf('Delete', 'Recycle', 'Retain'),
    volumeMode: oneOf('Block', 'Filesystem'),
  },
  volumeSource,
);
