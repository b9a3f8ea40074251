import type { Random } from './random.ts';

/** A value in a JSON text; with its key and colon if it is a member of an object. */
interface JsonPart {
  start: number;
  end: number;
  /** The start of the value, after the key. */
  value: number;
  isMember: boolean;
}

const notableValues = [
  'null', 'true', '0', '-1', '1.5', '1e30', '9007199254740993', '""', '[]', '{}', '[null]', '{"":null}',
  '"__proto__"', '"constructor"', '" "', '"*"', '"/"', '"a=b"', '"%"', '"\\u0000"', '"\\ud800"', '"1"',
].map((text) => Buffer.from(text)); // prettier-ignore

const notableCharacters = Buffer.from('\0 "$%&()*+,-./019:;<=>?@AZ[\\]^_az{|}~\x7f\xe9', 'latin1');

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isOpening = (byte: number): boolean => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number): boolean => byte === 0x7d || byte === 0x5d;

/** True for inputs that are probably JSON. */
export const looksLikeJson = (input: Uint8Array): boolean => input.length > 1 && isOpening(input[0]!);

/** Returns the values of a text, which may also be invalid JSON, or several documents. */
function partsOf(text: Uint8Array): JsonPart[] {
  const parts: JsonPart[] = [];
  const open: JsonPart[] = [];
  let key: number | undefined;
  for (let at = 0; at < text.length;) {
    const byte = text[at]!;
    if (isClosing(byte)) {
      const part = open.pop();
      if (part !== undefined) part.end = at + 1;
      at++;
    } else if (byte === comma || byte === colon || isSpace(byte)) at++;
    else {
      const end = isOpening(byte) ? at + 1 : scalarEnd(text, at);
      if (text[end] === colon) key = at;
      else {
        const part = { start: key ?? at, value: at, end, isMember: key !== undefined };
        key = undefined;
        parts.push(part);
        if (isOpening(byte)) open.push(part);
      }
      at = end;
    }
  }
  return parts;
}

function scalarEnd(text: Uint8Array, start: number): number {
  let at = start + 1;
  if (text[start] === quote) {
    while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
    return Math.min(at + 1, text.length);
  }
  while (at < text.length && !isEnd(text[at]!)) at++;
  return at;
}

const isEnd = (byte: number): boolean => isClosing(byte) || byte === comma || byte === colon || isSpace(byte);

/** The parameters of a mutation. */
interface JsonSite {
  text: Uint8Array;
  part: JsonPart;
  key: Uint8Array;
  value: Uint8Array;
  random: Random;
  corpus: readonly Uint8Array[];
  words: readonly Uint8Array[];
}

/** Each mutation returns the replacement of the value, with its key. */
const mutations: readonly ((site: JsonSite) => (Uint8Array | string)[])[] = [
  ({ key, random }) => [key, random.of(notableValues)],
  (site) => [site.key, otherPart(site, false)],
  (site) => [site.key, site.value, ',', otherPart(site, site.part.isMember)],
  ({ key, value }) => [key, value, ',', key, value],
  ({ key, value }) => [key, '[', value, ']'],
  ({ key, random, words }) => [key, jsonString(String(Buffer.from(random.of(words))))],
  ({ part, value, random, words }) =>
    part.isMember ? [jsonString(String(Buffer.from(random.of(words)))), ':', value] : [value],
  ({ key, value, random }) => [key, changedScalar(String(Buffer.from(value)), random)],
];

/** Changes a value of a JSON document and keeps the document valid. */
export function mutatedJson(
  text: Uint8Array,
  random: Random,
  corpus: readonly Uint8Array[],
  words: readonly Uint8Array[],
): Uint8Array {
  const parts = partsOf(text);
  if (parts.length === 0) return text;
  const part = random.of(parts);
  if (random.below(mutations.length + 1) === 0) return withoutPart(text, part);
  const key = text.subarray(part.start, part.value);
  const value = text.subarray(part.value, part.end);
  const site = { text, part, key, value, random, corpus, words: words.length === 0 ? notableValues : words };
  const pieces = [text.subarray(0, part.start), ...random.of(mutations)(site), text.subarray(part.end)];
  return new Uint8Array(
    Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
  );
}

/** Returns a value, or a member, from this document or another one. */
function otherPart({ text, random, corpus }: JsonSite, isMember: boolean): Uint8Array {
  const source = random.below(2) === 0 ? text : random.of(corpus);
  const found = partsOf(source).filter((part) => part.isMember || !isMember);
  if (found.length === 0) return Buffer.from(isMember ? '"":null' : 'null');
  const taken = random.of(found);
  return source.subarray(isMember ? taken.start : taken.value, taken.end);
}

/** Removes the value, its key, and an adjacent comma. */
function withoutPart(text: Uint8Array, { start, end }: JsonPart): Uint8Array {
  const isFollowed = text[end] === comma;
  const isPreceded = !isFollowed && text[start - 1] === comma;
  return new Uint8Array(
    Buffer.concat([
      text.subarray(0, isPreceded ? start - 1 : start),
      text.subarray(isFollowed ? end + 1 : end),
    ]),
  );
}

/** Adds, removes or replaces a character of a string; replaces a number. */
function changedScalar(value: string, random: Random): string {
  if (value[0] !== '"') return /^-?\d/.test(value) ? String(Number(value) + random.below(9) - 4) : value;
  const content = value.slice(1, -1);
  const at = random.below(content.length + 1);
  const inserted = random.below(3) === 0 ? '' : String.fromCharCode(random.of(notableCharacters));
  return jsonString(content.slice(0, at) + inserted + content.slice(at + random.below(2)));
}

const jsonString = (text: string): string => JSON.stringify(text);
