import { randomUUID } from 'node:crypto';
import { isObject } from './json-object.ts';
import { countListKeys } from './managed-list-keys.ts';
import { isEscaped } from './json-strings.ts';

/** The last escape of a string, its end, and a colon; or the second character of an escape, and a string behind it. */
const endOfEscapedKey = /\\[^][^"\\]*"[ \t\r\n]*:/g;

/** A key without it is written as it is, so that it is one key with the same key without escapes. */
const needsEscape = /["\\\u0000-\u001f]/;

/** Begins the names that stand in the place of keys with escapes. No text has it: it is not known outside. */
const mark = /* @__PURE__ */ newMark();

// Bundles for browsers that parse no JSON leave it out, with the import of node:crypto.
function newMark(): string {
  return `~${randomUUID()}`;
}

type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;

/**
 * Parses JSON text like `JSON.parse`, also where keys have escapes. V8 takes such a key for another one: after `{"a":1,"\\":2}`
 * it reads the second key of `{"a":1,"\n":2}` as a backslash, in documents of other users, too
 * (https://github.com/nodejs/node/issues/63785). The other key always has a backslash. A reviver that removes or renames keys with escapes
 * may be called twice for each value. `countKeys` counts those keys with a quote that are expected.
 */
export function jsonParse(text: string, reviver?: Reviver, countKeys = countListKeys): unknown {
  const escapedKeys = text.includes('\\') ? countEscapedKeys(text) : 0;
  if (escapedKeys === 0) return JSON.parse(text, reviver);
  const value: unknown = JSON.parse(text, reviver);
  if (countKeys(value) === escapedKeys) return value;
  return parseWithoutEscapes(text, reviver);
}

function countEscapedKeys(text: string): number {
  let count = 0;
  endOfEscapedKey.lastIndex = 0;
  for (let found = endOfEscapedKey.exec(text); found !== null; found = endOfEscapedKey.exec(text)) {
    if (isEscaped(text, found.index)) endOfEscapedKey.lastIndex = found.index + 1;
    else count++;
  }
  return count;
}

/** `JSON.parse` gets a text without escapes in keys. Slower, for texts whose keys with escapes are not all in managed fields. */
function parseWithoutEscapes(text: string, reviver?: Reviver): unknown {
  const { plain, keys } = replaceEscapedKeys(text);
  if (reviver === undefined) return restoreAll(JSON.parse(plain), keys);
  return JSON.parse(plain, (key, value: unknown, context?: { source?: string }) =>
    reviver(key, isObject(value) ? restoreKeys(value, keys) : value, context),
  );
}

interface ReplacedKeys {
  plain: string;
  /** The keys that the text has, by the names that stand in their place. */
  keys: ReadonlyMap<string, string>;
}

/** Replaces keys with escapes. Throws `SyntaxError` for an escape that JSON does not have. */
function replaceEscapedKeys(text: string): ReplacedKeys {
  const names = new Map<string, string>();
  const pieces: string[] = [];
  let taken = 0;
  endOfEscapedKey.lastIndex = 0;
  for (let found = endOfEscapedKey.exec(text); found !== null; found = endOfEscapedKey.exec(text)) {
    if (isEscaped(text, found.index)) {
      endOfEscapedKey.lastIndex = found.index + 1;
      continue;
    }
    const end = text.lastIndexOf('"', endOfEscapedKey.lastIndex - 1);
    let start = end;
    do start = text.lastIndexOf('"', start - 1);
    while (start > taken && isEscaped(text, start));
    if (start < taken) break;
    const key = JSON.parse(text.slice(start, end + 1)) as string;
    pieces.push(text.slice(taken, start), needsEscape.test(key) ? `"${nameOf(key, names)}"` : `"${key}"`);
    taken = end + 1;
  }
  const keys = new Map([...names].map(([key, name]) => [name, key]));
  return { plain: pieces.join('') + text.slice(taken), keys };
}

/** The name that stands in the place of a key. */
function nameOf(key: string, names: Map<string, string>): string {
  const name = names.get(key) ?? `${mark}${names.size}`;
  names.set(key, name);
  return name;
}

/** Restores the keys of a value and of all values below. Nesting uses an explicit stack: a text may be nested deeply. */
function restoreAll(value: unknown, keys: ReadonlyMap<string, string>): unknown {
  const root: unknown[] = [value];
  const containers: object[] = [root];
  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    for (const name of Object.keys(container)) {
      const member: unknown = (container as Record<string, unknown>)[name];
      if (typeof member !== 'object' || member === null) continue;
      const restored = Array.isArray(member) ? member : restoreKeys(member, keys);
      if (restored !== member) Object.defineProperty(container, name, { value: restored });
      containers.push(restored);
    }
  }
  return root[0];
}

/** The same object, or one with the keys that the text has. */
function restoreKeys(object: object, keys: ReadonlyMap<string, string>): object {
  if (!Object.keys(object).some((name) => name.startsWith(mark))) return object;
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [keys.get(name) ?? name, value as unknown]),
  );
}
