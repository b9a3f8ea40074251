import { finish, type Passes } from './passes.ts';
import { tableOf } from './table.ts';

/** How many values, keys and escapes one pass scans: up to two milliseconds. */
const scannedAtOnce = 2000;

/**
 * Returns the error of Go's JSON decoder for a malformed text, because clients know its message; `undefined`
 * for valid JSON. The states and their texts are those of `encoding/json`'s scanner. Go reads bytes:
 * `firstByte` returns the first byte of a character; default: its first byte in UTF-8.
 */
export const goJsonSyntaxError = (text: string, firstByte = firstByteInUtf8): string | undefined =>
  finish(goJsonSyntaxErrorInPasses(text, firstByte));

/** The same for a large text, in passes. */
export function* goJsonSyntaxErrorInPasses(
  text: string,
  firstByte = firstByteInUtf8,
): Passes<string | undefined> {
  const scanner = new Scanner(text, firstByte);
  try {
    yield* scanner.value();
    scanner.end();
    return undefined;
  } catch (error) {
    if (error instanceof ScanError) return error.message;
    throw error;
  }
}

class ScanError extends Error {}

const blank = /[ \t\r\n]*/y;
const digits = /[0-9]*/y;
const plainText = /[^"\\\u0000-\u001f]*/y;
const literals = tableOf({ t: 'true', f: 'false', n: 'null' });

class Scanner {
  private readonly text: string;
  private readonly firstByte: FirstByte;
  private at = 0;
  private scanned = 0;

  constructor(text: string, firstByte: FirstByte) {
    this.text = text;
    this.firstByte = firstByte;
  }

  /** Scans one value. Nesting uses an explicit stack, so deep texts cannot overflow the call stack. */
  *value(): Passes<void> {
    const closers: string[] = [];
    do {
      if (this.isPassOver()) yield;
      const next = this.peek();
      if (next === '{' || next === '[') {
        const closer = next === '{' ? '}' : ']';
        this.at++;
        if (this.peek() !== closer) {
          closers.push(closer);
          if (closer === '}') yield* this.key();
          continue;
        }
        this.at++;
      } else {
        yield* this.scalar();
      }
      yield* this.leave(closers);
    } while (closers.length > 0);
  }

  end(): void {
    this.skip(blank);
    if (this.at < this.text.length) throw this.unexpected('after top-level value');
  }

  /** Leaves the containers that end here, up to a comma before another value. */
  private *leave(closers: string[]): Passes<void> {
    for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
      const next = this.peek();
      if (next === ',') {
        this.at++;
        if (closer === '}') yield* this.key();
        return;
      }
      if (next !== closer)
        throw this.unexpected(closer === '}' ? 'after object key:value pair' : 'after array element');
      this.at++;
      closers.pop();
    }
  }

  private *key(): Passes<void> {
    if (this.peek() !== '"') throw this.unexpected('looking for beginning of object key string');
    yield* this.string();
    if (this.peek() !== ':') throw this.unexpected('after object key');
    this.at++;
  }

  private *scalar(): Passes<void> {
    const next = this.peek();
    if (next === '"') return yield* this.string();
    const literal = next === undefined ? undefined : literals.get(next);
    if (literal !== undefined) return this.literal(literal);
    if (next === '-' || isDigit(next)) return this.number();
    throw this.unexpected('looking for beginning of value');
  }

  private *string(): Passes<void> {
    this.at++;
    for (;;) {
      if (this.isPassOver()) yield;
      this.skip(plainText);
      const next = this.text[this.at];
      if (next !== '"' && next !== '\\') throw this.unexpected('in string literal');
      this.at++;
      if (next === '"') return;
      this.escape();
    }
  }

  private escape(): void {
    const kind = this.text[this.at];
    if (kind === undefined || !'"\\/bfnrtu'.includes(kind)) throw this.unexpected('in string escape code');
    this.at++;
    for (let i = 0; kind === 'u' && i < 4; i++, this.at++) {
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? ''))
        throw this.unexpected('in \\u hexadecimal character escape');
    }
  }

  private literal(word: string): void {
    for (const letter of word) {
      if (this.text[this.at] !== letter) throw this.unexpected(`in literal ${word} (expecting '${letter}')`);
      this.at++;
    }
  }

  private number(): void {
    if (this.text[this.at] === '-') this.at++;
    if (this.text[this.at] === '0') this.at++;
    else this.someDigits('in numeric literal');
    if (this.text[this.at] === '.') {
      this.at++;
      this.someDigits('after decimal point in numeric literal');
    }
    if (this.text[this.at] !== 'e' && this.text[this.at] !== 'E') return;
    this.at++;
    if (this.text[this.at] === '+' || this.text[this.at] === '-') this.at++;
    this.someDigits('in exponent of numeric literal');
  }

  private someDigits(where: string): void {
    if (!isDigit(this.text[this.at])) throw this.unexpected(where);
    this.skip(digits);
  }

  private isPassOver(): boolean {
    return ++this.scanned % scannedAtOnce === 0;
  }

  private skip(run: RegExp): void {
    run.lastIndex = this.at;
    run.exec(this.text);
    this.at = run.lastIndex;
  }

  /** Returns the next character that is not white space. */
  private peek(): string | undefined {
    this.skip(blank);
    return this.text[this.at];
  }

  private unexpected(where: string): ScanError {
    const found = this.text[this.at];
    if (found === undefined) return new ScanError('unexpected end of JSON input');
    return new ScanError(`invalid character ${quoteByte(found, this.firstByte(found))} ${where}`);
  }
}

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9';

const named = tableOf({
  "'": "\\'",
  '"': '"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
});

type FirstByte = (char: string) => number;

const firstByteInUtf8: FirstByte = (char) => new TextEncoder().encode(char)[0] ?? 0;

function quoteByte(char: string, byte: number): string {
  const isControl = byte < 0x20 || byte === 0x7f;
  const hex = () => `\\x${byte.toString(16).padStart(2, '0')}`;
  return `'${named.get(char) ?? (isControl ? hex() : String.fromCharCode(byte))}'`;
}
