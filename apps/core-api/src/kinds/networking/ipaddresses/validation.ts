import { isIP } from 'node:net';
import {
  fieldErrors,
  goStructPointer,
  goText,
  isObject,
  validateDns1123Subdomain,
  validatePathSegmentName,
} from '@annex/machinery';
import { type Check, fields, required, text } from '../../shared/checks.ts';

const segment = text(validatePathSegmentName);

/** Checks the reference to the owner of an IPAddress. */
export const validateIpAddressSpec: Check = (value, at) => {
  const parent = isObject(value) ? value.parentRef : undefined;
  const where = at.child('parentRef');
  if (!isObject(parent)) return [fieldErrors.required(where)];
  const checks = {
    group: text(validateDns1123Subdomain),
    resource: required(segment),
    name: required(segment),
    namespace: segment,
  };
  return fields(checks)(parent, where);
};

/** The name of an IPAddress is the address. */
export const nameIsAddress = (name: string): string[] =>
  isIP(name) > 0 && !name.includes('%')
    ? []
    : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];

/** Returns the Go value of a reference to an owner. */
export const goParent = goStructPointer([
  ['Group', 'group', goText],
  ['Resource', 'resource', goText],
  ['Namespace', 'namespace', goText],
  ['Name', 'name', goText],
]);
