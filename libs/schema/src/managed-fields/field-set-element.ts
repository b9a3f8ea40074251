import {
  getOwn,
  isObject,
  type JsonValue,
  parseJson,
  type Passes,
  sortInPasses,
  stringifyJson,
  visitedAtOnce,
} from '@annex/machinery';

/**
 * An element of a field path in the form of FieldsV1: `f:<name>` is a field, `k:{"name":"a"}` the list item with these keys,
 * `v:"a"` the set item with this value, `i:0` the item at an index. Equal elements are equal strings.
 */
export type PathElement = string;

/** Returns the element of a field. */
export const fieldElement = (name: string): PathElement => `f:${name}`;
/** Returns the element of a set item. */
export const valueElement = (value: JsonValue): PathElement => `v:${scalarText(value)}`;

/** Returns the element of a list item with one key. */
export const singleKeyElement = (name: string, value: JsonValue): PathElement =>
  `k:{${scalarText(name)}:${scalarText(value)}}`;

/** Returns the element of a list item; the keys must be sorted by name. */
export function keyElement(keys: readonly (readonly [string, JsonValue])[]): PathElement {
  let text = '';
  for (const [name, value] of keys)
    text += `${text === '' ? '' : ','}${scalarText(name)}:${scalarText(value)}`;
  return `k:{${text}}`;
}

// structured-merge-diff writes these strings with Go's HTML escapes, and clients compare them as text.
function scalarText(value: JsonValue): string {
  if (typeof value === 'string')
    return plainString.test(value) ? `"${value}"` : escapeHtml(JSON.stringify(value));
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : escapeHtml(stringifyJson(value));
}

const plainString = /^[\w .:/-]*$/;

/** Escapes the characters that Go's JSON encoder escapes for HTML. */
export const escapeHtml = (json: string): string =>
  /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;

// Fields, and list items and values with plain strings, which are written in one way.
const canonicalElement = /^(?:f:|k:\{"[\w .:/-]*":"[\w .:/-]*"\}$|v:"[\w .:/-]*"$)/;

/** Parses an element and returns its canonical form; `undefined` for an unknown kind of element. Throws `SyntaxError`. */
export function parseElement(text: string): PathElement | undefined {
  if (canonicalElement.test(text)) return text;
  if (text.length < 2) throw new SyntaxError('key must be 2 characters long:');
  if (text[1] !== ':') throw new SyntaxError(`missing colon: ${text}`);
  const content = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parseJson(content));
    case 'k':
      return keyElement(parseKeys(content));
    case 'i':
      if (!/^[+-]?\d+$/.test(content) || !Number.isSafeInteger(Number(content)))
        throw new SyntaxError(`invalid index: ${text}`);
      return `i:${Number(content)}`;
    default:
      return undefined;
  }
}

function parseKeys(text: string): [string, JsonValue][] {
  const keys = parseJson(text);
  if (!isObject(keys)) throw new SyntaxError(`keys must be an object: ${text}`);
  return Object.keys(keys)
    .sort()
    .map((name) => [name, getOwn(keys, name) as JsonValue]);
}

/** Formats an element for messages: `.name`, `[name="a"]`, `[="a"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const content = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${content}`;
    case 'v':
      return `[=${printValue(parseJson(content))}]`;
    case 'k':
      return `[${parseKeys(content)
        .map(([name, value]) => `${name}=${printValue(value)}`)
        .join(',')}]`;
    default:
      return `[${content}]`;
  }
}

function printValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (!isObject(value)) return stringifyJson(value);
  return Object.keys(value)
    .map((key) => `${key}=${printValue(getOwn(value, key) as JsonValue)}`)
    .join('');
}

// All characters come after the quote that ends a text: the order of the elements is that of their contents.
const simpleKey = /^k:\{"[\w./:-]*":"[\w./:-]*"\}$/;

/** Sorts elements like structured-merge-diff: fields, keys, values, indices; each by content. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const list = [...elements];
  if (list.length < 2) return list;
  if (list.every((element) => element.startsWith('f:')) || list.every((element) => simpleKey.test(element)))
    return list.sort();
  return list
    .map(sortable)
    .sort(compareSortable)
    .map(({ element }) => element);
}

/** How many elements are sorted at once. */
const sortedAtOnce = 4000;

/** The same for many elements, in passes. */
export function* sortElementsInPasses(elements: Iterable<PathElement>): Passes<PathElement[]> {
  const list = [...elements];
  if (list.length <= sortedAtOnce) return sortElements(list);
  const sorted: Sortable[] = [];
  for (const [i, element] of list.entries()) {
    if (i % visitedAtOnce === 0) yield;
    sorted.push(sortable(element));
  }
  yield* sortInPasses(sorted, compareSortable);
  return sorted.map(({ element }) => element);
}

interface Sortable {
  element: PathElement;
  rank: number;
  parts: readonly JsonValue[];
}

const sortable = (element: PathElement): Sortable => ({
  element,
  rank: 'fkvi'.indexOf(element[0] as string),
  parts: sortParts(element),
});

const compareSortable = (a: Sortable, b: Sortable): number =>
  a.rank - b.rank || compareParts(a.parts, b.parts);

// A fast path for the common list elements: one key or value that is a string without escapes.
const plainKey = /^k:\{"([^"\\]*)":"([^"\\]*)"\}$/;
const plainValue = /^v:"([^"\\]*)"$/;

function sortParts(element: PathElement): JsonValue[] {
  const plain = plainKey.exec(element) ?? plainValue.exec(element);
  if (plain !== null) return plain.slice(1);
  const content = element.slice(2);
  if (element.startsWith('f:')) return [content];
  return element.startsWith('k:') ? parseKeys(content).flat() : [parseJson(content)];
}

function compareParts(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = compareValues(a[i] as JsonValue, b[i] as JsonValue);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Orders numbers before strings, booleans, lists, maps and null. */
function compareValues(a: JsonValue, b: JsonValue): number {
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'object' || typeof b === 'object') {
    const [left, right] = [stringifyJson(a), stringifyJson(b)];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

const rankOfType: ReadonlyMap<string, number> = new Map([
  ['number', 0],
  ['bigint', 0],
  ['string', 1],
  ['boolean', 2],
]);

function valueRank(value: JsonValue): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  return rankOfType.get(typeof value) ?? 4;
}
