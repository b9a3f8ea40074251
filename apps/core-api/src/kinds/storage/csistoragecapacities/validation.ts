import { type FieldError, fieldErrors, isObject, type JsonObject, Quantity } from '@annex/machinery';
import { type Check, isMissing, selector } from '../../shared/checks.ts';
import { validateSubdomain } from '../shared/validation.ts';

const { invalid } = fieldErrors;

const amount: Check = (value, at): FieldError[] =>
  !isMissing(value) && Quantity.parse(String(value)).sign < 0
    ? [invalid(at, value, 'must be greater than or equal to 0')]
    : [];

/** Checks a CSIStorageCapacity. */
export const validateStorageCapacity: Check = (value, at) => {
  const capacity: JsonObject = isObject(value) ? value : {};
  return [
    ...validateSubdomain(capacity.storageClassName, at.child('storageClassName')),
    ...selector(capacity.nodeTopology, at.child('nodeTopology')),
    ...amount(capacity.capacity, at.child('capacity')),
  ];
};
