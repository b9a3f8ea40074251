import { fieldErrors, isEmptyObject, isObject } from '@annex/machinery';
import { type Check, fields, required } from '../../shared/checks.ts';
import { validateDriverName, validateParameters } from '../shared/validation.ts';

/** Checks a VolumeAttributesClass. */
export const validateVolumeAttributesClass: Check = fields({
  driverName: required(validateDriverName),
  parameters: (value, at) =>
    !isObject(value) || isEmptyObject(value)
      ? [fieldErrors.required(at, 'must contain at least one key/value pair')]
      : validateParameters(value, at),
});
