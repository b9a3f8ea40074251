import { fieldErrors, isObject, regexError, utf8Length, validateQualifiedName } from '@annex/machinery';
import { all, between, type Check, each, fields, isMissing, required, uniqueOrEmpty } from './checks.ts';

const { invalid, notSupported, tooLong } = fieldErrors;

const reasonError = regexError(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?',
  ...['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
);

/** The longest reason and message, in bytes. */
const [reasonBytes, messageBytes] = [1024, 32 * 1024];

const atMost =
  (bytes: number): Check =>
  (value, at) =>
    utf8Length(String(value ?? '')) > bytes ? [tooLong(at, value, bytes)] : [];

const type: Check = (value, at) => {
  const name = isMissing(value) ? '' : String(value);
  return validateQualifiedName(name).map((why) => invalid(at, name, why));
};

const statuses = ['False', 'True', 'Unknown'];
const status: Check = (value, at) =>
  statuses.includes(String(value)) ? [] : [notSupported(at, value ?? '', statuses)];

const reason: Check = (value, at) =>
  /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(String(value)) ? [] : [invalid(at, value, reasonError)];

/** Checks conditions of the type `meta/v1`, as `ValidateConditions` of apimachinery. */
export const conditions: Check = all(
  uniqueOrEmpty('type'),
  each((value, at) =>
    fields({
      type,
      status,
      observedGeneration: between(0, Infinity, 'must be greater than or equal to zero'),
      lastTransitionTime: required(),
      reason: required(all(reason, atMost(reasonBytes))),
      message: atMost(messageBytes),
    })(isObject(value) ? value : {}, at),
  ),
);
