import type { FieldPath } from '@annex/machinery';
import {
  errorsAtOnce,
  errorsOfEach,
  type FieldError,
  fieldErrors,
  getOwn,
  isObject,
  type JsonObject,
  type LabelSelectorObject,
  validateLabelSelector,
  repetitions,
} from '@annex/machinery';

/** Checks the value of a field; `undefined` if the field is absent. */
export type Check = (value: unknown, at: FieldPath) => FieldError[];

/** Returns the object under a name, or an empty one. */
export const childOf = (value: unknown, name: string): JsonObject => {
  const child = isObject(value) ? getOwn(value, name) : undefined;
  return isObject(child) ? child : {};
};

/** Returns the objects of a list. */
export const objectsOf = (value: unknown): readonly JsonObject[] => {
  if (!Array.isArray(value)) return [];
  return value.every(isObject) ? value : value.filter(isObject);
};

/** Checks the fields of an object in the order of the table, and then conditions across fields. */
export function fields(table: Readonly<Record<string, Check>>, ...further: Check[]): Check {
  const entries = Object.entries(table);
  return (value, at) => {
    if (!isObject(value)) return [];
    return [
      ...entries.flatMap(([name, check]) => check(getOwn(value, name), at.child(name))),
      ...further.flatMap((check) => check(value, at)),
    ];
  };
}

/** Checks every item of a list; an item that is null is an empty object, as in Go. */
export const each =
  (check: Check): Check =>
  (value, at) =>
    Array.isArray(value)
      ? errorsOfEach(value, (item: unknown, index) => check(item ?? {}, at.index(index)))
      : [];

/** Checks every item of a list with a check that is made for the list. Its argument reports values that repeat; an absent one is empty. */
export const eachDifferent =
  (checkOf: (different: Check) => Check): Check =>
  (value, at) => {
    if (!Array.isArray(value) || value.length === 0) return [];
    const isRepeated = repetitions();
    const different: Check = (key = '', where) => {
      if (isRepeated(key)) return [fieldErrors.duplicate(where, key)];
      return [];
    };
    return each(checkOf(different))(value, at);
  };

/** Checks a list, unless it has too many items: that is its only error. */
export const limited =
  (most: number, check: Check = () => []): Check =>
  (value, at) =>
    Array.isArray(value) && value.length > most
      ? [fieldErrors.tooMany(at, value.length, most)]
      : check(value, at);

/** Combines checks of one value, and returns all errors. */
export const all =
  (...checks: Check[]): Check =>
  (value, at) =>
    checks.flatMap((check) => check(value, at));

/** Runs the second check only if the first one has no errors. */
export const ifValid =
  (first: Check, second: Check): Check =>
  (value, at) => {
    const errors = errorsAtOnce(() => first(value, at));
    return errors.length > 0 ? errors : second(value, at);
  };

export const isMissing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Requires a value: not absent, an empty string or an empty list. Only then runs the check. */
export const required =
  (check: Check = () => [], detail = ''): Check =>
  (value, at) =>
    isMissing(value) ? [fieldErrors.required(at, detail)] : check(value, at);

/** Checks a string with one of the name checks; absent and empty values pass. */
export const text =
  (check: (value: string) => string[]): Check =>
  (value, at) =>
    typeof value === 'string' && value !== ''
      ? check(value).map((why) => fieldErrors.invalid(at, value, why))
      : [];

/** Requires a value that may be empty: a pointer in Go. Only then runs the check. */
export const present =
  (check: Check, detail = ''): Check =>
  (value, at) =>
    isAbsent(value) ? [fieldErrors.required(at, detail)] : check(value, at);

/** Checks a string that may be empty, a pointer in Go, with one of the name checks; an absent one passes. */
export const presentText =
  (check: (value: string) => string[]): Check =>
  (value, at) =>
    typeof value === 'string' ? check(value).map((why) => fieldErrors.invalid(at, value, why)) : [];

/** Requires one of these strings, if the value is set. An empty string is set: Go omits it where it is none. */
export const oneOf =
  (...values: string[]): Check =>
  (value, at) =>
    isAbsent(value) || values.includes(String(value)) ? [] : [fieldErrors.notSupported(at, value, values)];

/** Requires a non-negative number, if the value is set. */
export const nonNegative: Check = (value, at) =>
  typeof value === 'number' && value < 0
    ? [fieldErrors.invalid(at, value, 'must be greater than or equal to 0')]
    : [];

/** Requires a number between two limits, if the value is set. */
export const between =
  (least: number, most: number, why: string): Check =>
  (value, at) =>
    typeof value === 'number' && (value < least || value > most) ? [fieldErrors.invalid(at, value, why)] : [];

/** Checks a label selector. */
export const selector: Check = (value, at) =>
  isObject(value) ? validateLabelSelector(value as LabelSelectorObject, at) : [];

/** Checks that no two items of a list have the same value of a field, unless it is empty. */
export const unique = (field: string): Check =>
  eachDifferent((different) =>
    fields({ [field]: (value, at) => (isMissing(value) ? [] : different(value, at)) }),
  );

/** The same, where an absent value is an empty one. */
export const uniqueOrEmpty = (field: string): Check =>
  eachDifferent((different) => fields({ [field]: different }));

/** Checks the spec of an object. */
export const inSpec = (check: Check): Check => fields({ spec: check });
