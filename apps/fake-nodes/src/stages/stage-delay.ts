import { type JsonValue, type KubeObject, parseTime, readDuration } from '@annex/machinery';
import type { FieldReader } from '../field-reader.ts';
import { readPath } from './stage-selector.ts';

/** Milliseconds of the longest delay of a stage: a week. */
export const maxStageDelayMs = 7 * 24 * 3_600_000;

type Delay = (object: KubeObject, now: number, random: () => number) => number | undefined;
type Source = (object: KubeObject, now: number) => number | undefined;

/**
 * Reads a delay: a duration, and a jitter that is the upper end of the random delay, as in KWOK. Both may come from a field of the object:
 * a duration such as `5s`, or a time.
 */
export function readDelay(delay: FieldReader | undefined): Delay {
  if (delay === undefined) return () => undefined;
  const duration = readSource(delay, 'duration');
  const jitter = readSource(delay, 'jitterDuration');
  delay.end();
  return (object, now, random) => {
    const least = duration(object, now);
    const most = jitter(object, now);
    if (least === undefined && most === undefined) return undefined;
    const from = Math.min(least ?? 0, most ?? Infinity);
    return Math.min(from + random() * Math.max(0, (most ?? from) - from), maxStageDelayMs);
  };
}

/** Reads a duration in `NAMEMilliseconds`, and the field that replaces it if the object has one, in `NAMEFrom`. */
function readSource(delay: FieldReader, name: 'duration' | 'jitterDuration'): Source {
  const fixed = delay.integer(`${name}Milliseconds`);
  const from = readFrom(delay.object(`${name}From`));
  return (object, now) => {
    const text = from(object);
    return (text === undefined ? undefined : millisecondsOf(text, now)) ?? fixed;
  };
}

/** Reads an expression whose first value is used; `undefined` if the object has none. */
export function readFrom(from: FieldReader | undefined): (object: KubeObject) => string | undefined {
  if (from === undefined) return () => undefined;
  const nested = from.object('jq');
  const path = nested === undefined ? readPath(from, 'expressionFrom') : readPath(nested, 'expression');
  nested?.end();
  from.end();
  if (path === undefined) return () => undefined;
  return (object) => {
    const [value] = path(object as JsonValue);
    return value === undefined ? undefined : String(value);
  };
}

function millisecondsOf(text: string, now: number): number | undefined {
  const time = parseTime(text);
  if (time !== undefined) return Math.max(0, time - now);
  const duration = readDuration(text);
  return 'error' in duration ? undefined : Math.max(0, Number(duration.nanoseconds / 1_000_000n));
}
