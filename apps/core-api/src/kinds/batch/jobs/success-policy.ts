import type { FieldPath } from '@annex/machinery';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  goQuote,
  isObject,
  type JsonObject,
} from '@annex/machinery';
import { isMissing, nonNegative, objectsOf } from '../../shared/checks.ts';

const { invalid, required } = fieldErrors;

const mostRules = 20;
const mostIndexesBytes = 64 * 1024;

/** Checks when enough pods of an indexed Job have succeeded. */
export function successPolicy(spec: JsonObject, at: FieldPath): FieldError[] {
  if (!isObject(spec.successPolicy)) return [];
  const rules = objectsOf(spec.successPolicy.rules);
  if (spec.completionMode !== 'Indexed') {
    const shown = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    return [invalid(at, { Rules: shown }, 'requires indexed completion mode')];
  }
  const where = at.child('rules');
  if (rules.length === 0)
    return [required(where, 'at least one rules must be specified when the successPolicy is specified')];
  const completions = Number(spec.completions ?? 0);
  return [
    ...(rules.length > mostRules ? [fieldErrors.tooMany(where, rules.length, mostRules)] : []),
    ...errorsOfEach(rules, (rule, index) => successRule(rule, completions, where.index(index))),
  ];
}

function successRule(
  { succeededIndexes, succeededCount }: JsonObject,
  completions: number,
  at: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  const hasIndexes = typeof succeededIndexes === 'string';
  if (!hasIndexes && isMissing(succeededCount))
    errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'));
  let total = 0;
  if (hasIndexes) {
    const path = at.child('succeededIndexes');
    if (succeededIndexes.length > mostIndexesBytes)
      errors.push(fieldErrors.tooLong(path, succeededIndexes, mostIndexesBytes));
    const counted = countIndexes(succeededIndexes, completions);
    if (typeof counted === 'number') total = counted;
    else errors.push(invalid(path, succeededIndexes, `error parsing succeededIndexes: ${counted}`));
  }
  if (isMissing(succeededCount)) return errors;
  const count = Number(succeededCount);
  const path = at.child('succeededCount');
  const most = (limit: number, what: string) =>
    count > limit ? [invalid(path, succeededCount, `must be less than or equal to ${limit} (${what})`)] : [];
  return [
    ...errors,
    ...nonNegative(succeededCount, path),
    ...most(completions, 'the number of specified completions'),
    ...(hasIndexes ? most(total, 'the number of indexes in the specified succeededIndexes field') : []),
  ];
}

/** Returns the number of indexes of a text such as `0,3-5`, or what is wrong with it. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let last = -1;
  for (const interval of text.split(',')) {
    const parts = interval.split('-');
    if (parts.length > 2)
      return `the fragment ${goQuote(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    const [first = 0, end = first] = parts.map(Number);
    const bad = parts.find((part) => !isInteger(part));
    const large = parts.find((part) => isInteger(part) && Number(part) >= completions);
    for (const part of parts) {
      if (part === bad) return `cannot convert string to integer for index: ${goQuote(part)}`;
      if (part === large) return `too large index: ${goQuote(part)}`;
    }
    if (parts.length === 2 && first >= end)
      return `non-increasing order, previous: ${first}, current: ${end}`;
    if (last >= first) return `non-increasing order, previous: ${last}, current: ${first}`;
    total += end - first + 1;
    last = end;
  }
  return total;
}

const isInteger = (text: string): boolean => /^[+-]?\d+$/.test(text);
