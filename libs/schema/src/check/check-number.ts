import { type JsonValue, printFloat } from '@annex/machinery';
import { type Check, checkOf, type Outcome } from './check.ts';
import { goKind, isNearInteger, toInt64 } from '../go-decoding/go-number.ts';

/** The numeric validations of a schema, its type if it has exactly one, and its format if that belongs to the type. */
export interface NumberLimits {
  type: 'integer' | 'number' | undefined;
  format: string;
  maximum: number | undefined;
  exclusiveMaximum: boolean;
  minimum: number | undefined;
  exclusiveMinimum: boolean;
  multipleOf: number | undefined;
}

/** Checks numbers exactly like go-openapi, which truncates limits to integers for integer values. */
export function numberCheck(limits: NumberLimits): Check {
  const inRange = rangeTest(limits);
  const tests: LimitTest[] = [multipleTest(limits), minimumTest(limits), maximumTest(limits)].filter(
    (test) => test !== undefined,
  );
  return checkOf((value, path, out) => {
    if (typeof value !== 'number' && typeof value !== 'bigint') return true;
    let ok = inRange === undefined || inRange(value);
    if (!ok) out?.failWhole(rangeText('Checked value', limits, path));
    for (const test of tests) {
      if (!ok && out === undefined) return false;
      ok = test(value, path, out) && ok;
    }
    return ok;
  });
}

type NumberValue = number | bigint;
type LimitTest = (value: NumberValue, path: string, out: Outcome | undefined) => boolean;

const rangeTexts = (limits: NumberLimits): string =>
  limits.format === ''
    ? `${limits.type ?? ''} (default format)`
    : `${limits.type ?? ''} with format ${limits.format}`;

const rangeText = (what: string, limits: NumberLimits, path: string): string =>
  `${what} must be of type ${rangeTexts(limits)} in ${path}`;

function rangeTest({ type, format }: NumberLimits): ((value: NumberValue) => boolean) | undefined {
  if (type === 'integer') {
    if (format === 'int32') return (value) => isWhole(value) && value >= -(2 ** 31) && value < 2 ** 31;
    return isWhole;
  }
  if (format === 'float') return (value) => typeof value === 'bigint' || Number.isFinite(Math.fround(value));
  return undefined;
}

// go-openapi parses the shortest decimal text of a float, which is less than the smallest integer for -(2 ** 63).
const isWhole = (value: NumberValue): boolean =>
  typeof value === 'bigint' || (Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 63);

/**
 * Wraps the test of a limit. A limit that its own type does not allow is an error for every value, and is compared as a
 * float.
 */
function limitTest(
  what: string,
  limit: number | undefined,
  limits: NumberLimits,
  test: (
    value: NumberValue,
    limit: number,
    asInteger: boolean,
    path: string,
    out: Outcome | undefined,
  ) => boolean,
): LimitTest | undefined {
  if (limit === undefined) return undefined;
  const inRange = rangeTest(limits);
  const isInvalid = inRange !== undefined && !inRange(limit);
  return (value, path, out) => {
    if (isInvalid) {
      out?.failWhole(rangeText(what, limits, path));
      test(Number(value), limit, false, path, out);
      return false;
    }
    return test(value, limit, goKind(value) === 'int64', path, out);
  };
}

function multipleTest(limits: NumberLimits): LimitTest | undefined {
  return limitTest('MultipleOf value', limits.multipleOf, limits, (value, limit, asInteger, path, out) => {
    const factor = asInteger ? toInt64(limit) : limit;
    if (factor <= 0) {
      const text = `factor MultipleOf declared for ${path} must be positive: ${printNumber(factor, asInteger)}`;
      return out ? out.fail(text, path, 'FieldValueInvalid', factor) : false;
    }
    if (asInteger ? isIntegerMultiple(value, factor) : isFloatMultiple(Number(value), Number(factor)))
      return true;
    const text = `${path} in body should be a multiple of ${printNumber(factor, asInteger)}`;
    return out ? out.fail(text, path, 'FieldValueInvalid', value) : false;
  });
}

function isIntegerMultiple(value: NumberValue, factor: NumberValue): boolean {
  if (typeof value === 'number' && typeof factor === 'number') return value % factor === 0;
  return BigInt(value) % BigInt(factor) === 0n;
}

const isFloatMultiple = (value: number, factor: number): boolean =>
  isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);

function maximumTest(limits: NumberLimits): LimitTest | undefined {
  const exclusive = limits.exclusiveMaximum;
  return limitTest('Maximum boundary value', limits.maximum, limits, (value, limit, asInteger, path, out) => {
    const max = asInteger ? toInt64(limit) : limit;
    if (exclusive ? value < max : value <= max) return true;
    if (out === undefined) return false;
    const comparison = exclusive ? 'less than' : 'less than or equal to';
    const text = `${path} in body should be ${comparison} ${printNumber(max, asInteger)}`;
    return out.fail(text, path, 'FieldValueInvalid', value);
  });
}

function minimumTest(limits: NumberLimits): LimitTest | undefined {
  const exclusive = limits.exclusiveMinimum;
  return limitTest('Minimum boundary value', limits.minimum, limits, (value, limit, asInteger, path, out) => {
    const min = asInteger ? toInt64(limit) : limit;
    if (exclusive ? value > min : value >= min) return true;
    if (out === undefined) return false;
    const comparison = exclusive ? 'greater than' : 'greater than or equal to';
    const text = `${path} in body should be ${comparison} ${printNumber(min, asInteger)}`;
    return out.fail(text, path, 'FieldValueInvalid', value);
  });
}

const printNumber = (value: NumberValue, asInteger: boolean): string =>
  asInteger ? String(value) : printFloat(Number(value));

/** Converts a limit to float64, as in kube-apiserver. */
export function floatOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}
