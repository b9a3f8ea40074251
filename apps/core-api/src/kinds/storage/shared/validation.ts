import { fieldErrors, isObject, validateDns1123Subdomain, validateQualifiedName } from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

/** Checks the name of a driver. kube-apiserver checks and prints it in lower case. */
export const validateDriverName: Check = (value, at) => {
  const name = String(value).toLowerCase();
  return validateQualifiedName(name).map((why) => invalid(at, name, why));
};

/** Checks the name of a driver that nodes and attachments refer to: a subdomain of at most 63 bytes in any case. */
export const validateCsiDriverName: Check = (value, at) => {
  const name = String(value ?? '');
  if (name === '') return [fieldErrors.required(at)];
  return [
    ...(Buffer.byteLength(name) > 63 ? [fieldErrors.tooLong(at, '', 63)] : []),
    ...validateDns1123Subdomain(name.toLowerCase()).map((why) => invalid(at, name, why)),
  ];
};

/** Checks a required name: an absent one is an invalid subdomain. */
export const validateSubdomain: Check = (value, at) =>
  validateDns1123Subdomain(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

/** Checks the number of the parameters of a class, and their keys. */
export const validateParameters: Check = (value, at) => {
  const keys = Object.keys(isObject(value) ? value : {});
  if (keys.length > 512) return [fieldErrors.tooLong(at, '', 512)];
  return keys.includes('') ? [invalid(at, '', 'field can not be empty.')] : [];
};
