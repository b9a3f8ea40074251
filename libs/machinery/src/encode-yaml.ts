import { Buffer } from 'node:buffer';
import { tableOf } from './table.ts';
import { printFloat } from './go/float.ts';
import { isObject } from './json-object.ts';
import { finish, type Passes, sortInPasses } from './passes.ts';
import { compareYamlKeys } from './yaml-order.ts';
import { isEmptyObject, isKnownWide, namesInPasses } from './wide-objects.ts';
import { wholeEnd } from './utf8.ts';
import { type YamlStyle, yamlStyle } from './yaml-style.ts';

/**
 * Encodes a JSON value as YAML, byte for byte as sigs.k8s.io/yaml does: keys sorted, block style, lists not
 * indented below their key, strings folded at a space after column 80.
 */
export function encodeYaml(value: unknown): string {
  const writer = new YamlWriter();
  finish(writer.value(value, 0, false));
  return writer.text;
}

/** The same for a large value, in passes over its members. */
export function* encodeYamlInPasses(value: unknown): Passes<Buffer> {
  const writer = new YamlWriter();
  const pieces: Buffer[] = [];
  for (const _ of writer.value(value, 0, false)) {
    pieces.push(writer.take());
    yield;
  }
  pieces.push(writer.take());
  return Buffer.concat(pieces);
}

/** How many characters are written in one pass. */
const writtenAtOnce = 16 * 1024;

/** A longer key, or one with line breaks, is written after a question mark. */
const longestSimpleKey = 128;
const bestWidth = 80;
const minInt64 = -(2n ** 63n);
const maxUint64 = 2n ** 64n - 1n;

class YamlWriter {
  text = '';
  /** The position at which the current line started. */
  #lineStart = 0;
  /** The length of the text after which a pass ends. */
  #passEnd = writtenAtOnce;

  /** Writes a value at an indentation; `isInline` if its first line already started, after a dash. */
  *value(value: unknown, indent: number, isInline: boolean): Passes<void> {
    if (!isFilled(value)) yield* this.#anyLeaf(value, indent);
    else if (Array.isArray(value)) yield* this.#sequence(value, indent, isInline);
    else yield* this.#mapping(value as Record<string, unknown>, indent, isInline);
  }

  *#sequence(items: readonly unknown[], indent: number, isInline: boolean): Passes<void> {
    let inline = isInline;
    for (const item of items) {
      if (this.#endsPass()) yield;
      this.#begin(indent, inline);
      inline = false;
      this.text += '- ';
      if (isFilled(item)) yield* this.value(item, indent + 2, true);
      else if (isLongText(item)) yield* this.#longLeaf(item, indent + 2);
      else this.#leaf(item ?? null, indent + 2);
    }
  }

  /** Returns the bytes written so far, and removes them. */
  take(): Buffer {
    const bytes = Buffer.from(this.text);
    this.#lineStart -= this.text.length;
    this.#passEnd = writtenAtOnce;
    this.text = '';
    return bytes;
  }

  #endsPass(): boolean {
    if (this.text.length < this.#passEnd) return false;
    this.#passEnd = this.text.length + writtenAtOnce;
    return true;
  }

  *#mapping(object: Readonly<Record<string, unknown>>, indent: number, isInline: boolean): Passes<void> {
    let inline = isInline;
    const names = yield* namesInPasses(object);
    for (const key of yield* sortInPasses(names, compareYamlKeys)) {
      // permitted: no-inherited-keys, these are its own names
      const value = object[key];
      if (value === undefined) continue;
      if (this.#endsPass()) yield;
      this.#begin(indent, inline);
      inline = false;
      this.#key(key, indent);
      if (isFilled(value) || !isSimple(key)) yield* this.#member(value, indent, isSimple(key));
      else {
        this.text += ': ';
        if (isLongText(value)) yield* this.#longLeaf(value, indent + 2);
        else this.#leaf(value, indent + 2);
      }
    }
  }

  /** Writes a member with a long key, or with a value that fills lines of its own. */
  *#member(value: unknown, indent: number, afterSimpleKey: boolean): Passes<void> {
    if (!afterSimpleKey) {
      this.#begin(indent, false);
      this.text += ': ';
      yield* this.value(value, indent + 2, true);
      return;
    }
    this.text += ':';
    this.#break();
    if (Array.isArray(value)) yield* this.#sequence(value, indent, false);
    else yield* this.#mapping(value as Record<string, unknown>, indent + 2, false);
  }

  #key(key: string, indent: number): void {
    if (!isSimple(key)) {
      this.text += '? ';
      this.#string(key, indent + 2);
      return;
    }
    const style = yamlStyle(key);
    this.text +=
      style === 'plain' ? key : style === 'single' ? `'${quoteSingle(key)}'` : `"${quoteDouble(key)}"`;
  }

  *#anyLeaf(value: unknown, indent: number): Passes<void> {
    if (isLongText(value)) yield* this.#longLeaf(value, indent);
    else this.#leaf(value, indent);
  }

  /** Writes a long text. One in double quotes is quoted in passes. */
  *#longLeaf(text: string, indent: number): Passes<void> {
    const style = yamlStyle(text);
    yield 'long';
    if (style !== 'double') return this.#styled(text, style, indent);
    const pieces: string[] = [];
    for (let at = 0; at < text.length;) {
      // A character beyond the first plane is a single escape.
      const end = wholeEnd(text, at + quotedAtOnce);
      pieces.push(quoteDouble(text.slice(at, end)));
      at = end;
      yield;
    }
    this.text += this.#quoted(pieces.join(''), style, ' '.repeat(indent));
    this.#break();
  }

  /** Writes a scalar, or an empty collection, and ends the line. */
  #leaf(value: unknown, indent: number): void {
    if (typeof value === 'string') return this.#string(value, indent);
    this.text += isObject(value) ? '{}' : Array.isArray(value) ? '[]' : plain(value);
    this.#break();
  }

  #string(text: string, indent: number): void {
    this.#styled(text, yamlStyle(text), indent);
  }

  #styled(text: string, style: YamlStyle, indent: number): void {
    if (style === 'literal') return this.#literal(text, indent);
    this.text += this.#wrapped(text, style, ' '.repeat(indent));
    this.#break();
  }

  #literal(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? '2' : '';
    const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : '';
    const padding = ' '.repeat(indent);
    const lines = (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
    this.text += `|${hint}${chomp}\n${lines.map((line) => (line === '' ? '' : padding + line)).join('\n')}`;
    this.#break();
  }

  /** Quotes a string, folded at single spaces after the best width. */
  #wrapped(text: string, style: YamlStyle, padding: string): string {
    const quoted = style === 'single' ? quoteSingle(text) : style === 'double' ? quoteDouble(text) : text;
    return this.#quoted(quoted, style, padding);
  }

  #quoted(quoted: string, style: YamlStyle, padding: string): string {
    const quote = style === 'single' ? "'" : style === 'double' ? '"' : '';
    const column = this.text.length - this.#lineStart + quote.length;
    if (column + quoted.length <= bestWidth || !quoted.includes(' ')) return quote + quoted + quote;
    return quote + fold(quoted, style, column, padding) + quote;
  }

  #begin(indent: number, isInline: boolean): void {
    if (!isInline) this.text += ' '.repeat(indent);
  }

  #break(): void {
    this.text += '\n';
    this.#lineStart = this.text.length;
  }
}

/** How many characters of a text in double quotes are quoted in one pass. */
const quotedAtOnce = 16 * 1024;

const isLongText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > quotedAtOnce;

/** True for collections that are not empty. */
const isFilled = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : isObject(value) && hasMembers(value);

function hasMembers(object: Readonly<Record<string, unknown>>): boolean {
  if (isKnownWide(object)) return !isEmptyObject(object);
  for (const name in object) if (object[name] !== undefined) return true;
  return false;
}

function isSimple(key: string): boolean {
  if (key.includes('\n')) return false;
  return key.length * 3 <= longestSimpleKey || new TextEncoder().encode(key).length <= longestSimpleKey;
}

function plain(value: unknown): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  if (typeof value === 'bigint' ? value >= minInt64 && value <= maxUint64 : Number.isSafeInteger(value)) {
    return String(value);
  }
  if (typeof value === 'bigint' || !Number.isInteger(value)) return printFloat(Number(value));
  const whole = BigInt(value);
  return whole >= minInt64 && whole <= maxUint64 ? String(whole) : printFloat(value);
}

/** Folds a string at spaces once its line is full. No style has surrogates, so that columns are counted in UTF-16. */
function fold(text: string, style: YamlStyle, start: number, padding: string): string {
  let [begin, column, out] = [0, start, ''];
  const firstAfter = (position: number) => text.indexOf(' ', Math.max(position, 1));
  let at = firstAfter(begin + bestWidth + 1 - column);
  while (at >= 0 && at < text.length - 1) {
    const isDoubled = text[at + 1] === ' ';
    if (text[at - 1] === ' ' || (isDoubled && style !== 'double')) {
      at = firstAfter(at + 1);
      continue;
    }
    // Leading spaces of a line are escaped if the style has escapes.
    const escape = isDoubled ? '\\' : '';
    out += `${text.slice(begin, at)}\n${padding}${escape}`;
    [begin, column] = [at + 1, padding.length + escape.length];
    at = firstAfter(begin + Math.max(bestWidth + 1 - column, 0));
  }
  return out + text.slice(begin);
}

const quoteSingle = (text: string): string => text.replaceAll("'", "''");

const escapes = tableOf({
  '\0': '0',
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\u001b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u2028': 'L',
  '\u2029': 'P',
});

/** Escapes as the library does; a character beyond the first plane is a single escape. */
const quoteDouble = (text: string): string =>
  text.replace(
    /[\u0000-\u001f"\\\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]|[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g,
    (char) => `\\${escapes.get(char) ?? hexEscape(char.codePointAt(0) ?? 0)}`,
  );

function hexEscape(code: number): string {
  const [letter, width] = code <= 0xff ? ['x', 2] : code <= 0xffff ? ['u', 4] : ['U', 8];
  return (
    letter +
    code
      .toString(16)
      .toUpperCase()
      .padStart(width as number, '0')
  );
}
