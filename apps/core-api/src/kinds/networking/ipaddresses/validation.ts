import { fieldErrors, isObject } from '@annex/machinery';
import { type Check, fields, required } from '../../shared/checks.ts';

/** Checks the reference to the owner of an IPAddress. */
export const validateIpAddressSpec: Check = (value, at) => {
  const parent = isObject(value) ? value.parentRef : undefined;
  const where = at.child('parentRef');
  if (!isObject(parent)) return [fieldErrors.required(where)];
  return fields({ resource: required(), name: required() })(parent, where);
};
