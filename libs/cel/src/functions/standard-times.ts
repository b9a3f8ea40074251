import { tableOf } from '@annex/machinery';
import { fail } from '../errors.ts';
import { declare, member } from '../typing/declare.ts';
import type { Library } from './library.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { types } from '../typing/type.ts';
import type { Integer } from '../values/int.ts';
import type { Duration, Timestamp } from '../values/time.ts';

const { duration, int, string, timestamp } = types;

/** Reads a part of an instant from a date whose UTC fields contain the local time. */
type Part = (date: Date) => number;

const parts: readonly (readonly [name: string, id: string, part: Part, zonedId?: string])[] = [
  ['getFullYear', 'year', (date) => date.getUTCFullYear()],
  ['getMonth', 'month', (date) => date.getUTCMonth()],
  ['getDayOfYear', 'day_of_year', dayOfYear],
  ['getDayOfMonth', 'day_of_month', (date) => date.getUTCDate() - 1],
  ['getDate', 'day_of_month_1_based', (date) => date.getUTCDate()],
  ['getDayOfWeek', 'day_of_week', (date) => date.getUTCDay()],
  ['getHours', 'hours', (date) => date.getUTCHours()],
  ['getMinutes', 'minutes', (date) => date.getUTCMinutes()],
  ['getSeconds', 'seconds', (date) => date.getUTCSeconds(), 'timestamp_to_seconds_tz'],
  ['getMilliseconds', 'milliseconds', (date) => date.getUTCMilliseconds()],
];

const units = tableOf<readonly [id: string, nanos: bigint]>({
  getHours: ['duration_to_hours', 3_600_000_000_000n],
  getMinutes: ['duration_to_minutes', 60_000_000_000n],
  getSeconds: ['duration_to_seconds', 1_000_000_000n],
});

/** The functions that read parts of timestamps and durations. */
export const standardTimes: readonly FunctionDeclaration[] = parts.map(([name, id, part, zonedId]) => {
  const overloads: Overload[] = [
    member(`timestamp_to_${id}`, [timestamp], int, (time: Timestamp) => part(localDate(time, 0))),
    member(
      zonedId ?? `timestamp_to_${id}_with_tz`,
      [timestamp, string],
      int,
      (time: Timestamp, zone: string) => part(localDate(time, zoneOffset(time, zone))),
    ),
  ];
  const unit = units.get(name);
  if (unit) overloads.push(member(unit[0], [duration], int, (value: Duration) => value.in(unit[1])));
  if (name === 'getMilliseconds')
    overloads.push(milliseconds((value) => Number(value.in(1_000_000n)) % 1000));
  return declare(name, ...overloads);
});

function milliseconds(of: (value: Duration) => Integer): Overload {
  return member('duration_to_milliseconds', [duration], int, of);
}

/** `duration.getMilliseconds()` as the whole duration, as in cel-go, instead of the part below a second. */
export const wholeMillisecondsLibrary: Library = {
  name: 'whole-milliseconds',
  functions: [
    declare(
      'getMilliseconds',
      milliseconds((value) => value.in(1_000_000n)),
    ),
  ],
};

function localDate(time: Timestamp, offset: number): Date {
  return new Date((time.seconds + offset) * 1000 + Math.trunc(time.nanos / 1_000_000));
}

function dayOfYear(date: Date): number {
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start.getTime()) / 86_400_000);
}

/** Returns the UTC offset of `+01:00` or `Europe/Berlin` at an instant, in seconds. */
function zoneOffset(time: Timestamp, zone: string): number {
  const colon = zone.indexOf(':');
  if (colon < 0) return namedZoneOffset(time, zone);
  const hours = parseOffsetPart(zone.slice(0, colon));
  const minutes = parseOffsetPart(zone.slice(colon + 1));
  return (zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function parseOffsetPart(text: string): number {
  if (!/^[+-]?\d{1,9}$/.test(text))
    return fail(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function namedZoneOffset(time: Timestamp, zone: string): number {
  if (zone === '' || zone === 'UTC') return 0;
  const fields = new Map<string, number>();
  for (const { type, value } of zoneFormat(zone).formatToParts(new Date(time.seconds * 1000))) {
    if (type === 'era') fields.set(type, value.startsWith('B') ? -1 : 1);
    else fields.set(type, Number(value));
  }
  const at = (name: string) => fields.get(name) ?? 0;
  const local = new Date(0);
  local.setUTCFullYear(at('era') < 0 ? 1 - at('year') : at('year'), at('month') - 1, at('day'));
  local.setUTCHours(at('hour'), at('minute'), at('second'));
  return local.getTime() / 1000 - time.seconds;
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return fail(`unknown time zone ${zone}`);
  }
}
