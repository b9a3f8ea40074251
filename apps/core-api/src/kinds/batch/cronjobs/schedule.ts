import { fieldErrors, readDuration } from '@annex/machinery';
import type { Check } from '../../shared/checks.ts';

interface Range {
  least: number;
  most: number;
  names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Minute, hour, day of the month, month, day of the week. */
const ranges: readonly Range[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: months },
  { least: 0, most: 6, names: days },
];

const descriptors = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

/** Returns the error of a CronJob schedule, as the parser of kube-apiserver reports it; `undefined` if it is valid. */
export function scheduleError(text: string): string | undefined {
  if (text.startsWith('@')) return descriptorError(text);
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  for (const [i, range] of ranges.entries()) {
    for (const part of (parts[i] ?? '').split(',')) {
      // The parser of kube-apiserver skips empty items.
      if (part === '') continue;
      const error = rangeError(part, range);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function descriptorError(text: string): string | undefined {
  if (descriptors.has(text)) return undefined;
  const every = '@every ';
  if (!text.startsWith(every)) return `unrecognized descriptor: ${text}`;
  const read = readDuration(text.slice(every.length));
  return 'error' in read ? `failed to parse duration ${text}: ${read.error}` : undefined;
}

function rangeError(expression: string, range: Range): string | undefined {
  const [span = '', step, ...moreSteps] = expression.split('/');
  const [low = '', high, ...more] = span.split('-');
  let [start, end] = [range.least, range.most];
  if (low !== '*' && low !== '?') {
    const from = numberOf(low, range);
    if (typeof from === 'string') return from;
    if (more.length > 0) return `too many hyphens: ${expression}`;
    const to = high === undefined ? from : numberOf(high, range);
    if (typeof to === 'string') return to;
    [start, end] = [from, high === undefined && step !== undefined ? range.most : to];
  }
  if (moreSteps.length > 0) return `too many slashes: ${expression}`;
  const width = step === undefined ? 1 : parsedInt(step);
  if (typeof width === 'string') return width;
  if (start < range.least)
    return `beginning of range (${start}) below minimum (${range.least}): ${expression}`;
  if (end > range.most) return `end of range (${end}) above maximum (${range.most}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return width === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

function numberOf(text: string, { names, least }: Range): number | string {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  return named >= 0 ? named + least : parsedInt(text);
}

function parsedInt(text: string): number | string {
  if (!/^[+-]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}

/** A schedule: five fields of numbers, names, ranges and steps, or a name such as `@daily`. */
export const schedule: Check = (value, at) => {
  const text = String(value);
  const error = text.includes('TZ')
    ? 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'
    : scheduleError(text);
  return error === undefined ? [] : [fieldErrors.invalid(at, value, error)];
};
