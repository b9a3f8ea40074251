import { Buffer } from 'node:buffer';
import { stringifyJson } from './json.ts';
import { getOwn, isObject, type JsonObject, setOwn } from './json-object.ts';
import { countParts } from './json-passes.ts';
import type { Passes } from './passes.ts';
import { namesInPasses } from './wide-objects.ts';

/** How many parts of a value are encoded in one pass: a pass takes about a millisecond. */
const encodedAtOnce = 2000;

/** How many characters are encoded in the time of one part: those with quotes take longest. */
const charactersOfPart = 256;

const partsOf = (value: unknown): number => countParts(value, encodedAtOnce, charactersOfPart);

/** The least characters that become bytes in one pass. */
const charactersOfText = 64 * 1024;

/** Encodes a JSON value like `stringifyJson`, in passes over groups of its members. */
export function* stringifyJsonInPasses(value: unknown): Passes<string> {
  if (partsOf(value) <= encodedAtOnce) return stringifyJson(value);
  return (yield* textsOf(value)).join('');
}

/** The same as UTF-8, with a line break at the end: a long text is never joined, because that is one call of V8. */
export function* encodeJsonInPasses(value: unknown): Passes<Buffer> {
  if (partsOf(value) <= encodedAtOnce) return Buffer.from(`${stringifyJson(value)}\n`);
  const texts = yield* textsOf(value);
  texts.push('\n');
  let length = 0;
  for (const text of texts) {
    length += Buffer.byteLength(text);
    yield;
  }
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const text of texts) {
    at += bytes.write(text, at);
    yield;
  }
  return bytes;
}

function* textsOf(value: unknown): Passes<string[]> {
  yield;
  const encoding = new Encoding();
  yield* encoding.write(value);
  return encoding.end();
}

class Encoding {
  readonly #texts: string[] = [];
  #text = '';

  /** Returns the texts, which follow one another. */
  end(): string[] {
    this.#texts.push(this.#text);
    return this.#texts;
  }

  *write(value: unknown): Passes<void> {
    if (Array.isArray(value)) {
      this.#text += '[';
      yield* this.#writeParts(value, items);
      this.#text += ']';
    } else if (isObject(value)) {
      this.#text += '{';
      yield* this.#writeParts(yield* namesInPasses(value), membersOf(value));
      this.#text += '}';
    } else {
      this.#text += stringifyJson(value);
    }
  }

  *#writeParts<T>(parts: readonly T[], form: PartForm<T>): Passes<void> {
    let between = '';
    const add = (text: string): void => {
      if (text === '') return;
      this.#text += between + text;
      between = ',';
    };
    let group: T[] = [];
    let size = 0;
    for (const part of parts) {
      const value = form.valueOf(part);
      const count = 1 + partsOf(value);
      if (size + count > encodedAtOnce && group.length > 0) {
        add(form.encode(group));
        [group, size] = [[], 0];
        yield* this.#next();
      }
      if (count <= encodedAtOnce) {
        group.push(part);
        size += count;
      } else {
        this.#text += between + form.headOf(part);
        between = ',';
        yield* this.write(value);
        yield* this.#next();
      }
    }
    if (group.length > 0) add(form.encode(group));
  }

  *#next(): Passes<void> {
    if (this.#text.length >= charactersOfText) {
      this.#texts.push(this.#text);
      this.#text = '';
    }
    yield;
  }
}

/** How the parts of a list or an object are encoded. */
interface PartForm<T> {
  valueOf(part: T): unknown;
  /** The text before the value of a part. */
  headOf(part: T): string;
  /** Encodes consecutive parts, without the brackets around them. */
  encode(group: readonly T[]): string;
}

const items: PartForm<unknown> = {
  valueOf: (item) => item,
  headOf: () => '',
  encode: (group) => stringifyJson(group).slice(1, -1),
};

const membersOf = (source: JsonObject): PartForm<string> => ({
  valueOf: (name) => getOwn(source, name),
  headOf: (name) => `${JSON.stringify(name)}:`,
  encode: (names) => {
    const object = {};
    for (const name of names) setOwn(object, name, getOwn(source, name));
    return stringifyJson(object).slice(1, -1);
  },
});
