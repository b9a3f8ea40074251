import { deepCopy, deepEqual, isUnusual, parseCounted, parseJson } from './json.ts';
import { getOwn, type JsonObject, type JsonValue, setOwn } from './json-object.ts';
import { isBlank, stringEnd } from './json-strings.ts';
import { goJsonSyntaxErrorInPasses } from './json-syntax.ts';
import { countQuotedKeys } from './managed-list-keys.ts';
import { type Passes, visitedAtOnce } from './passes.ts';
import { pushAll } from './push-all.ts';
import { isCounted, isKnownWide, namesInPasses, namesOf, noteMembers, noteNames } from './wide-objects.ts';

/** Texts up to this length are parsed at once: a pass takes about a millisecond. */
export const parsedAtOnce = 32 * 1024;

/** The same for texts with unusual numbers: V8 takes a microsecond for each value that is visited. */
const visitedTextAtOnce = 4 * 1024;

/** Values nested more deeply than this are parsed at once. */
const dividedDepth = 32;

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Parses a JSON text like `parseJson`, in passes over parts of it: members of objects and items of lists are parsed in
 * groups. Throws `SyntaxError` with the same messages.
 */
export function* parseJsonInPasses(text: string): Passes<JsonValue> {
  try {
    return yield* parsePart(text, skipSpace(text, 0), text.length, 0);
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    // A part of the text has other errors than the whole, unless the whole is valid.
    const why = yield* goJsonSyntaxErrorInPasses(text);
    if (why !== undefined) throw new SyntaxError(why);
    if (error.message.startsWith('json: ')) throw error;
    return parseJson(text);
  }
}

/** Keys with quotes may be anywhere in a piece, which begins within managed fields. */
const parsePiece = (text: string): JsonValue => parseCounted(text, countQuotedKeys);

function* parsePart(text: string, start: number, end: number, depth: number): Passes<JsonValue> {
  const open = text.charCodeAt(start);
  if (open === quote && end - start > parsedAtOnce) return parseLongString(text.slice(start, end));
  const isDivided = end - start > parsedAtOnce && depth < dividedDepth;
  if (!isDivided || (open !== openBrace && open !== openBracket)) return parsePiece(text.slice(start, end));
  const last = lastOf(text, end);
  if (text.charCodeAt(last) !== (open === openBrace ? closeBrace : closeBracket)) {
    throw new SyntaxError('a bracket is missing');
  }
  return open === openBrace
    ? yield* parseMembers(text, start + 1, last, depth)
    : yield* parseItems(text, start + 1, last, depth);
}

/** A string has no numbers and no keys, which `parseJson` searches for. */
const parseLongString = (text: string): string => (JSON.parse(text) as string).toWellFormed();

function* parseMembers(
  text: string,
  start: number,
  end: number,
  depth: number,
  atOnce = parsedAtOnce,
): Passes<JsonObject> {
  const object: JsonObject = {};
  let members = 0;
  let name: string | undefined;
  for (const part of partsOf(text, start, end, atOnce)) {
    if (part === undefined) {
      yield;
      continue;
    }
    members += part.count;
    if (isVisitedInPieces(text, part, atOnce)) {
      name = addMembers(object, yield* parseMembers(text, part.first, part.last, depth, visitedTextAtOnce));
    } else if (part.last - part.first <= parsedAtOnce || part.count > 1) {
      name = addMembers(object, parsePiece(`{${text.slice(part.first, part.last)}}`) as JsonObject);
    } else {
      const keyStart = skipSpace(text, part.first);
      const keyEnd = text.charCodeAt(keyStart) === quote ? stringEnd(text, keyStart) + 1 : 0;
      const at = skipSpace(text, keyEnd);
      if (keyEnd === 0 || text.charCodeAt(at) !== colon) throw new SyntaxError('a key is missing');
      const [key = ''] = Object.keys(parsePiece(`{${text.slice(keyStart, keyEnd)}:0}`) as JsonObject);
      setOwn(object, key, yield* parsePart(text, skipSpace(text, at + 1), part.last, depth + 1));
    }
    yield;
  }
  noteMembers(object, members, name);
  return object;
}

/** Returns one of the names. Reads of names that are known take less time than `Object.entries`. */
function addMembers(object: JsonObject, piece: JsonObject): string | undefined {
  const names = Object.keys(piece);
  // permitted: no-inherited-keys, these are its own names
  for (const name of names) setOwn(object, name, piece[name]);
  return names[0];
}

function* parseItems(
  text: string,
  start: number,
  end: number,
  depth: number,
  atOnce = parsedAtOnce,
): Passes<JsonValue[]> {
  const items: JsonValue[] = [];
  for (const part of partsOf(text, start, end, atOnce)) {
    if (part === undefined) {
      yield;
      continue;
    }
    if (isVisitedInPieces(text, part, atOnce)) {
      pushAll(items, yield* parseItems(text, part.first, part.last, depth, visitedTextAtOnce));
    } else if (part.last - part.first <= parsedAtOnce || part.count > 1) {
      for (const item of parsePiece(`[${text.slice(part.first, part.last)}]`) as JsonValue[])
        items.push(item);
    } else {
      items.push(yield* parsePart(text, skipSpace(text, part.first), part.last, depth + 1));
    }
    yield;
  }
  return items;
}

/** Returns whether several members or items are divided again, because they are visited. */
const isVisitedInPieces = (text: string, { first, last, count }: Part, atOnce: number): boolean =>
  count > 1 && atOnce > visitedTextAtOnce && isUnusual(text.slice(first, last));

/** Consecutive members or items of a container, without the comma behind them. */
interface Part {
  first: number;
  last: number;
  count: number;
}

/**
 * Divides the text between two brackets at its commas. A part is longer than the limit only if it is one member. Yields `undefined`
 * where a pass over a long member ends.
 */
function* partsOf(
  text: string,
  start: number,
  end: number,
  atOnce: number,
): Generator<Part | undefined, void, undefined> {
  if (skipSpace(text, start) >= end) return;
  let [first, last, count] = [start, start, 0];
  const scan: Scan = { depth: 0, isOpen: false };
  for (let at = start; at <= end; at++) {
    const from = at;
    for (at = valueEnd(text, from, end, scan); scan.isOpen; at = valueEnd(text, at, end, scan)) yield;
    if (skipSpace(text, from) >= at) throw new SyntaxError('a member is missing');
    if (count > 0 && at - first > atOnce) {
      yield { first, last, count };
      [first, count] = [from, 0];
    }
    [last, count] = [at, count + 1];
  }
  yield { first, last: end, count };
}

/** How many characters of a member are searched for its end in one pass. */
const searchedAtOnce = 64 * 1024;

/** How deep the search for the end of a member is, and whether it stopped before. */
interface Scan {
  depth: number;
  isOpen: boolean;
}

/** Returns the position of the next comma that is in no string and no nested container, or the end, unless the search stops before. */
function valueEnd(text: string, from: number, end: number, scan: Scan): number {
  let { depth } = scan;
  const stop = Math.min(end, from + searchedAtOnce);
  let at = from;
  for (; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) depth--;
    else if (code === comma && depth === 0) break;
  }
  scan.isOpen = at >= stop && at < end;
  scan.depth = scan.isOpen ? depth : 0;
  return Math.min(at, end);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

/** Returns the position of the last character that is no space. */
function lastOf(text: string, end: number): number {
  let last = end - 1;
  while (isBlank(text.charCodeAt(last))) last--;
  return last;
}

/** How many members are copied in one pass. */
const copiedAtOnce = 500;

/** Values with more lists, objects and scalars than this are encoded in passes. */
const manyParts = 2000;

/** Returns whether a JSON value has so many parts that a pass over it takes milliseconds. */
export const hasManyParts = (value: unknown): boolean => countParts(value, manyParts) > manyParts;

/** Returns whether a JSON value has more parts than one pass of a `DividedVisit` visits. */
export const hasManyVisits = (value: unknown): boolean =>
  isContainer(value) &&
  visitsLeft(value, visitedAtOnce) < 0 &&
  countParts(value, visitedAtOnce) > visitedAtOnce;

/** Subtracts the parts of a value, and stops below zero. Allocates nothing: small objects are counted several times. */
function visitsLeft(value: object, visits: number): number {
  if (isKnownWide(value)) return -1;
  let left = visits;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let i = 0; left >= 0 && i < value.length; i++) {
      const item = value[i] as unknown;
      if (isContainer(item)) left = visitsLeft(item, left);
    }
    return left;
  }
  for (const name in value) {
    if (--left < 0) return left;
    const part = (value as Record<string, unknown>)[name];
    if (isContainer(part)) left = visitsLeft(part, left);
    if (left < 0) return left;
  }
  return left;
}

/**
 * Counts the members and items of a JSON value at all levels, and so many characters of a text as another one; stops at a number above
 * `limit`. A value that was found to have many parts still counts as one when it has fewer.
 */
export function countParts(value: unknown, limit: number, charactersOfPart = Infinity): number {
  if (!isContainer(value)) return partsOfText(value, charactersOfPart);
  let parts = 0;
  const open: object[] = [value];
  const visit = (part: unknown): void => {
    if (isContainer(part)) open.push(part);
    else parts += partsOfText(part, charactersOfPart);
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const count = Array.isArray(next)
      ? openItems(next, visit, limit - parts)
      : openMembers(next, visit, limit - parts);
    parts += count;
    if (parts > limit) return parts;
  }
  return parts;
}

const partsOfText = (value: unknown, charactersOfPart: number): number =>
  typeof value === 'string' ? Math.floor(value.length / charactersOfPart) : 0;

/** Visits the items of a list that has no more than `limit`; returns their number. */
function openItems(list: readonly unknown[], visit: (part: unknown) => void, limit: number): number {
  if (list.length <= limit) for (const item of list) visit(item);
  return list.length;
}

/** Counts the members of an object; stops at a number above `limit`, as {@link countParts} does. */
export function countMembers(object: object, limit: number): number {
  if (isKnownWide(object)) return limit + 1;
  let members = 0;
  for (const _name in object) if (isCounted(++members, limit)) break;
  noteMembers(object, members);
  return members;
}

function openMembers(object: object, visit: (part: unknown) => void, limit: number): number {
  if (isKnownWide(object)) return limit + 1;
  let members = 0;
  for (const name in object) {
    if (isCounted(++members, limit)) break;
    if (members <= limit) visit((object as Record<string, unknown>)[name]);
  }
  noteMembers(object, members);
  return members;
}

/** Compares JSON values like `deepEqual`, in passes. */
export function* deepEqualInPasses(a: unknown, b: unknown): Passes<boolean> {
  const open: [unknown, unknown][] = [[a, b]];
  let compared = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [left, right] = next;
    // Pairs without members take time, too.
    if (++compared % copiedAtOnce === 0) yield;
    if (left === right) continue;
    if (!isContainer(left) || !isContainer(right) || Array.isArray(left) !== Array.isArray(right)) {
      if (!deepEqual(left, right)) return false;
      continue;
    }
    if (Array.isArray(left)) {
      const others = right as unknown as unknown[];
      if (left.length !== others.length) return false;
      for (let i = 0; i < left.length; i++) {
        if (++compared % copiedAtOnce === 0) yield;
        const [value, other] = [left[i], others[i]] as unknown[];
        if (isContainer(value) && isContainer(other)) open.push([value, other]);
        else if (!deepEqual(value, other)) return false;
      }
      continue;
    }
    let present = 0;
    if (isKnownWide(left)) yield 'long';
    const names = namesOf(left);
    if (isKnownWide(left)) yield;
    for (const name of names) {
      // permitted: no-inherited-keys, these are its own names
      const value = left[name];
      if (++compared % copiedAtOnce === 0) yield;
      if (value === undefined) continue;
      present++;
      const other = getOwn(right, name);
      if (isContainer(value) && isContainer(other)) open.push([value, other]);
      else if (other === undefined || !deepEqual(value, other)) return false;
    }
    noteMembers(right, present);
    if (isKnownWide(right)) yield 'long';
    const others = namesOf(right);
    // The members that both have were found: without further names there is no other.
    if (others.length === present) continue;
    if (isKnownWide(right)) yield;
    if (presentIn(right, others) !== present) return false;
  }
  return true;
}

const isContainer = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Counts the members that are not `undefined`, which count as absent. */
function presentIn(object: Record<string, unknown>, names: readonly string[]): number {
  let present = 0;
  // permitted: no-inherited-keys, these are its own names
  for (const name of names) if (object[name] !== undefined) present++;
  return present;
}

/** A list or an object, and its copy, whose members are still missing. */
type Open = [source: unknown, copy: unknown];

/** Copies a JSON value like `deepCopy`, in passes. `list` returns the names of an object in the order of the copy. */
export function* deepCopyInPasses<T>(
  value: T,
  list: (object: object) => Passes<string[]> = namesInPasses,
): Passes<T> {
  const open: Open[] = [];
  const copy = emptyCopy(value, open);
  let copied = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [source, target] = next;
    // Containers without members take time, too.
    if (++copied % copiedAtOnce === 0) yield;
    if (Array.isArray(source)) {
      for (const item of source) {
        (target as unknown[]).push(emptyCopy(item, open));
        if (++copied % copiedAtOnce === 0) yield;
      }
    } else {
      const names = yield* list(source as JsonObject);
      noteNames(target as JsonObject, names);
      for (const key of names) {
        // permitted: no-inherited-keys, these are its own names
        setOwn(target as JsonObject, key, emptyCopy((source as JsonObject)[key], open));
        if (++copied % copiedAtOnce === 0) yield;
      }
    }
  }
  return copy as T;
}

/** The same; a value of few parts is copied at once, which takes less time. */
export function* copyInPasses<T>(value: T): Passes<T> {
  return hasManyParts(value) ? yield* deepCopyInPasses(value) : deepCopy(value);
}

/** Returns a scalar itself; for a container an empty one, which is filled later. */
function emptyCopy(value: unknown, open: Open[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value) ? [] : {};
  open.push([value, copy]);
  return copy;
}
