import { fieldErrors, isObject, stringifyJson } from '@annex/machinery';
import { type Check, fields } from '../../shared/checks.ts';
import { driverName } from '../../shared/driver-name.ts';

const mostBytes = 10 * 1024;

const parameters: Check = (value, at) => {
  if (value === undefined || value === null) return [fieldErrors.required(at)];
  if (Buffer.byteLength(stringifyJson(value)) > mostBytes) return [fieldErrors.tooLong(at, '', mostBytes)];
  if (isObject(value)) return [];
  return [fieldErrors.invalid(at, '<value omitted>', 'must be a valid JSON object')];
};

const opaque = fields({ driver: driverName, parameters });

/** Checks the configuration of devices, which only their driver reads. */
export const deviceConfiguration: Check = fields({
  opaque: (value, at) => (isObject(value) ? opaque(value, at) : [fieldErrors.required(at)]),
});
