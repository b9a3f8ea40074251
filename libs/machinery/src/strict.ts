import { everyContainer } from './every-container.ts';
import type { JsonValue } from './json-object.ts';
import { limitExceededByText, limitExceededByTextInPasses } from './json-limits.ts';
import { isBlank, stringEnd } from './json-strings.ts';
import { finish, type Passes } from './passes.ts';

/** The nesting depth of accepted JSON and YAML documents: within the limits of every recursive algorithm. */
export const maxDepth = 500;

/** Strict decoding errors that one response lists. Source: kube-apiserver. */
export const maxDuplicateFields = 100;

/**
 * Finds the keys that occur twice in one object of a JSON text, as kube-apiserver prints them: `duplicate
 * field "spec.a"`. `value` is the parsed text; if counting finds no duplicates, the text is not scanned.
 */
export function findDuplicateFields(text: string, value: JsonValue): string[] {
  return countKeysInText(text) === countKeysInValue(value) ? [] : finish(new StrictScanner(text).scan());
}

/** The same for a large text, in passes. */
export function* findDuplicateFieldsInPasses(text: string, value: JsonValue): Passes<string[]> {
  const keys = yield* countKeysInTextInPasses(text);
  yield;
  const different = yield* countKeysInPasses(value);
  yield;
  return keys === different ? [] : yield* new StrictScanner(text).scan();
}

/**
 * Returns the errors of duplicate and unknown fields of a JSON text in the order of the text, as a decoder of Go finds them in one pass. It
 * skips the values of unknown fields. `unknown` are paths.
 */
export const strictErrorsInOrder = (text: string, unknown: readonly string[]): Passes<string[]> =>
  new StrictScanner(text, new Set(unknown)).scan();

/** True if arrays and objects of a JSON text are nested deeper than the limit. The text need not be valid. */
export const exceedsDepth = (text: string, limit = maxDepth): boolean =>
  limitExceededByText(text, { depth: limit }) === 'depth';

/** The same for a large text, in passes. */
export function* exceedsDepthInPasses(text: string, limit = maxDepth): Passes<boolean> {
  return (yield* limitExceededByTextInPasses(text, { depth: limit })) === 'depth';
}

/** True if arrays and objects of a value are nested deeper than the limit; in passes if the value is large. */
export function* nestsTooDeep(value: JsonValue, limit = maxDepth): Passes<boolean> {
  return !(yield* everyContainer(value, (_names, depth) => depth <= limit));
}

const quote = 0x22;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** The keys of a text that were found, and the next quote that may begin one. */
interface KeyCount {
  keys: number;
  start: number;
}

const beginCount = (text: string): KeyCount => ({ keys: 0, start: text.indexOf('"') });

/** Counts the keys that begin before a position. */
function countKeysTo(end: number, text: string, count: KeyCount): void {
  let { keys, start } = count;
  while (start >= 0 && start < end) {
    let next = stringEnd(text, start) + 1;
    while (isBlank(text.charCodeAt(next))) next++;
    if (text.charCodeAt(next) === colon) keys++;
    start = text.indexOf('"', next);
  }
  count.keys = keys;
  count.start = start;
}

function countKeysInText(text: string): number {
  const count = beginCount(text);
  countKeysTo(text.length, text, count);
  return count.keys;
}

function* countKeysInTextInPasses(text: string): Passes<number> {
  const count = beginCount(text);
  while (count.start >= 0) {
    countKeysTo(count.start + scannedAtOnce, text, count);
    yield;
  }
  return count.keys;
}

function countKeysInValue(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += countKeysInValue(item);
    return keys;
  }
  for (const key in value) keys += 1 + countKeysInValue(value[key] ?? null);
  return keys;
}

function* countKeysInPasses(value: JsonValue): Passes<number> {
  let keys = 0;
  yield* everyContainer(value, (names) => {
    keys += names?.length ?? 0;
    return true;
  });
  return keys;
}

interface Frame {
  path: string;
  /** The keys of an object so far; absent for an array. */
  seen?: Set<string>;
  index: number;
  key: string;
  /** True in the value of an unknown field. */
  skipped: boolean;
}

/** How many characters one pass scans: up to two milliseconds. */
const scannedAtOnce = 32 * 1024;

/** Scans a JSON text that is known to be valid. */
class StrictScanner {
  private readonly text: string;
  private readonly unknown: ReadonlySet<string>;
  private readonly found = new Set<string>();
  private readonly frames: Frame[] = [];

  constructor(text: string, unknown: ReadonlySet<string> = new Set()) {
    this.text = text;
    this.unknown = unknown;
  }

  *scan(): Passes<string[]> {
    const { text } = this;
    let passEnd = scannedAtOnce;
    for (let i = 0; i < text.length && this.found.size < maxDuplicateFields; i++) {
      if (i >= passEnd) {
        yield;
        passEnd = i + scannedAtOnce;
      }
      const code = text.charCodeAt(i);
      if (code === quote) i = this.string(i);
      else if (code === openBrace) this.open(new Set());
      else if (code === openBracket) this.open(undefined);
      else if (code === closeBrace || code === closeBracket) this.frames.pop();
      else if (code === 0x2c) {
        const frame = this.frames.at(-1);
        if (frame !== undefined) frame.index++;
      }
    }
    return [...this.found];
  }

  private open(seen: Set<string> | undefined): void {
    const path = this.path();
    const skipped = this.frames.at(-1)?.skipped || this.unknown.has(path);
    this.frames.push({ path, index: 0, key: '', skipped, ...(seen ? { seen } : {}) });
  }

  // The path of the value at this position.
  private path(): string {
    const frame = this.frames.at(-1);
    if (frame === undefined) return '';
    return frame.seen === undefined ? `${frame.path}[${frame.index}]` : join(frame.path, frame.key);
  }

  private string(start: number): number {
    const end = stringEnd(this.text, start);
    let next = end + 1;
    while (isBlank(this.text.charCodeAt(next))) next++;
    const frame = this.frames.at(-1);
    if (frame?.seen === undefined || this.text.charCodeAt(next) !== colon) return end;
    const key = JSON.parse(this.text.slice(start, end + 1)) as string;
    const path = join(frame.path, key);
    if (!frame.skipped) {
      if (this.unknown.has(path)) this.found.add(`unknown field "${path}"`);
      else if (frame.seen.has(key)) this.found.add(`duplicate field ${JSON.stringify(path)}`);
    }
    frame.seen.add(key);
    frame.key = key;
    return next;
  }
}

const join = (path: string, key: string) => (path === '' ? key : `${path}.${key}`);
