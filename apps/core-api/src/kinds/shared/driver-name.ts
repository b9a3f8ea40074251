import { fieldErrors, validateDns1123Subdomain } from '@annex/machinery';
import { type Check, required } from './checks.ts';

const longestName = 63;

/** Checks the name of a driver of volumes or devices: a domain, in upper or lower case. */
export const driverName: Check = required((value, at) => {
  const name = String(value);
  const errors = validateDns1123Subdomain(name.toLowerCase()).map((why) =>
    fieldErrors.invalid(at, name, why),
  );
  return name.length > longestName ? [fieldErrors.tooLong(at, name, longestName), ...errors] : errors;
});
