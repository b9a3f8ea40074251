import { readDuration, trimRight } from '@annex/machinery';
import { fail } from '../errors.ts';
import { type CelType, types } from '../typing/type.ts';
import { type Integer, narrow } from './int.ts';
import { Instance, type Value } from './value.ts';

const minSeconds = -62_135_596_800;
const lastSecond = 253_402_300_799;
const maxDuration = 2n ** 63n - 1n;
const minDuration = -(2n ** 63n);
const nanosPerSecond = 1_000_000_000;

/** An instant between the years 1 and 9999 with nanosecond precision. */
export class Timestamp extends Instance {
  readonly seconds: number;
  readonly nanos: number;
  /** The UTC offset in seconds in which the instant was written and is formatted. */
  readonly zone: number;

  constructor(seconds: number, nanos: number, zone = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.zone = zone;
  }

  /** Creates an instant; fails outside of the supported years. */
  static checked(seconds: number, nanos: number, zone = 0): Timestamp {
    if (seconds < minSeconds || seconds > lastSecond) fail('timestamp overflow');
    return new Timestamp(seconds, nanos, zone);
  }

  override get type(): CelType {
    return types.timestamp;
  }

  get #total(): bigint {
    return BigInt(this.seconds) * BigInt(nanosPerSecond) + BigInt(this.nanos);
  }

  compare(other: Timestamp): number {
    return this.seconds - other.seconds || this.nanos - other.nanos;
  }

  equals(other: Value): boolean {
    return other instanceof Timestamp && this.compare(other) === 0;
  }

  plus(duration: Duration): Timestamp {
    const total = this.#total + duration.nanos;
    const seconds = floorDivide(total, BigInt(nanosPerSecond));
    return Timestamp.checked(Number(seconds), Number(total - seconds * BigInt(nanosPerSecond)), this.zone);
  }

  minus(other: Timestamp): Duration {
    return Duration.checked(this.#total - other.#total);
  }

  /** Formats as RFC 3339 with as many decimals as needed. */
  override toString(): string {
    const local = new Date((this.seconds + this.zone) * 1000).toISOString().slice(0, 19);
    const fraction = this.nanos === 0 ? '' : `.${trimRight(String(this.nanos).padStart(9, '0'), '0')}`;
    return `${local}${fraction}${zoneSuffix(this.zone)}`;
  }
}

/** A duration in nanoseconds, within 64 bits. */
export class Duration extends Instance {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  /** Creates a duration; fails if it exceeds 64 bits. */
  static checked(nanos: bigint): Duration {
    if (nanos < minDuration || nanos > maxDuration) fail('integer overflow');
    return new Duration(nanos);
  }

  override get type(): CelType {
    return types.duration;
  }

  compare(other: Duration): number {
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  equals(other: Value): boolean {
    return other instanceof Duration && other.nanos === this.nanos;
  }

  /** Returns the number of whole units of that many nanoseconds. */
  in(unit: bigint): Integer {
    return narrow(this.nanos / unit);
  }

  /** Formats as seconds: `1.5s`. */
  override toString(): string {
    const seconds = this.nanos / BigInt(nanosPerSecond);
    const rest = this.nanos % BigInt(nanosPerSecond);
    return `${plainNumber(Number(seconds) + Number(rest) / nanosPerSecond)}s`;
  }
}

/** Parses an RFC 3339 time; undefined if it is invalid. Fails outside of the supported years. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(
    text,
  );
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const [zoneHours, zoneMinutes] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  if (zoneHours > 24 || zoneMinutes > 60) return undefined;
  const zone = (match[8] === '-' ? -1 : 1) * (zoneHours * 3600 + zoneMinutes * 60);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, second);
  const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
  return Timestamp.checked(date.getTime() / 1000 - zone, nanos, zone + 0);
}

/** Parses a duration such as `1h30m` or `-1.5s`; undefined if it is invalid or exceeds 64 bits. */
export function parseDuration(text: string): Duration | undefined {
  const read = readDuration(text);
  return 'error' in read ? undefined : new Duration(read.nanoseconds);
}

/** Formats a number without an exponent. */
export function plainNumber(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  const [mantissa, exponent] = text.split('e') as [string, string];
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = mantissa.replace('-', '').split('.') as [string, string?];
  const point = whole.length + Number(exponent);
  const digits = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

function daysIn(year: number, month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month, 0);
  return date.getUTCDate();
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

function zoneSuffix(zone: number): string {
  if (zone === 0) return 'Z';
  const minutes = Math.trunc(Math.abs(zone) / 60);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${zone < 0 ? '-' : '+'}${two(Math.trunc(minutes / 60))}:${two(minutes % 60)}`;
}
