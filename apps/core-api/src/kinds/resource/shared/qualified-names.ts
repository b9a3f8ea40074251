import { fieldErrors, validateCIdentifier } from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';
import { driverName } from '../../shared/driver-name.ts';

const { invalid } = fieldErrors;

const longestIdentifier = 32;

const identifier: Check = (value, at) => {
  const name = String(value);
  const errors = validateCIdentifier(name).map((why) => invalid(at, name, why));
  return name.length > longestIdentifier
    ? [fieldErrors.tooLong(at, name, longestIdentifier), ...errors]
    : errors;
};

/** Checks the name of an attribute of devices: a domain and an identifier, or only the latter. */
export const attributeName: Check = (value, at) => {
  const parts = String(value).split('/');
  const [first = '', second] = parts;
  if (parts.length > 2) return [];
  if (second === undefined) return identifier(first, at);
  return [
    ...(first === '' ? [invalid(at, '', 'the domain must not be empty')] : driverName(first, at)),
    ...(second === '' ? [invalid(at, '', 'the name must not be empty')] : identifier(second, at)),
  ];
};

/** Checks the name of an attribute with its domain. */
export const fullyQualifiedName: Check = (value, at) => [
  ...attributeName(value, at),
  ...(String(value).includes('/')
    ? []
    : [invalid(at, value, 'a fully qualified name must be a domain and a name separated by a slash')]),
];
