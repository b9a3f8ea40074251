import {
  getOwn,
  hasManyParts,
  isManyParts,
  isObject,
  type JsonValue,
  namesInPasses,
  type Passes,
  sortInPasses,
  stringifyJsonInPasses,
  visitedAtOnce,
} from '@annex/machinery';
import protobuf, { type Writer } from 'protobufjs/minimal.js';
import { type Encoded, encodeMessage, type EncodeRaw, writeEntry, writeField, writeRaw } from './encode.ts';
import { isListMessage, type MessageField, messageOf } from './messages.ts';
import { rawMessages, shapeOf } from './values.ts';

/** Encodes a large message like {@link encodeMessage}, in passes over the members of its lists and maps. */
export function encodeMessageInPasses(
  name: string,
  json: JsonValue,
  encodeRaw: EncodeRaw,
): Passes<Uint8Array> {
  return new DividedEncoding(encodeRaw).encode(name, json);
}

class DividedEncoding {
  readonly #encodeRaw: EncodeRaw;
  readonly #encoded: Encoded = { messages: new WeakMap(), members: new WeakMap() };

  constructor(encodeRaw: EncodeRaw) {
    this.#encodeRaw = encodeRaw;
  }

  *encode(name: string, json: JsonValue): Passes<Uint8Array> {
    yield* this.#encodeBelow(name, json);
    return bytesOf((writer) => encodeMessage(writer, name, json, this.#encodeRaw, this.#encoded));
  }

  /** Encodes the members of all lists and maps below a message, the innermost first, and its large embedded objects. */
  *#encodeBelow(name: string, json: JsonValue): Passes<void> {
    if (rawMessages.has(name) || isListMessage(name) || shapeOf(name) !== undefined || !isObject(json))
      return;
    for (const field of messageOf(name).fields) {
      const value = getOwn(json, field.json);
      if (field.inline || typeof value !== 'object' || value === null) continue;
      if (field.map) yield* this.#encodeMap(field, value);
      else if (field.repeated) yield* this.#encodeList(field, value);
      // Such as the fields of a manager that owns very many.
      else if (rawMessages.has(field.type) && hasManyParts(value))
        this.#encoded.messages.set(value, yield* encodeJson(value));
      else if (isMessage(field)) yield* this.#encodeBelow(field.type, value);
    }
  }

  *#encodeMap(field: MessageField, map: JsonValue): Passes<void> {
    if (!isObject(map)) return;
    const names = yield* namesInPasses(map);
    if (isMessage(field)) for (const name of names) yield* this.#encodeItem(field.type, getOwn(map, name));
    if (!isManyParts(names.length)) return;
    const sorted = (yield* isSorted(names)) ? names : yield* sortInPasses(names, byCodeUnits);
    yield* this.#encodeMany(field, map, sorted, (writer, name) =>
      writeEntry(writer, field, name, getOwn(map, name) ?? null, this.#encodeRaw, this.#encoded),
    );
  }

  *#encodeList(field: MessageField, list: JsonValue): Passes<void> {
    if (!Array.isArray(list)) return;
    if (isMessage(field)) for (const item of list) yield* this.#encodeItem(field.type, item);
    if (!isManyParts(list.length)) return;
    yield* this.#encodeMany(field, list, list, (writer, item) =>
      writeField(writer, field, item, this.#encodeRaw, this.#encoded),
    );
  }

  *#encodeItem(type: string, item: JsonValue | undefined): Passes<void> {
    if (!isObject(item)) return;
    yield* this.#encodeBelow(type, item);
    this.#encoded.messages.set(
      item,
      bytesOf((writer) => encodeMessage(writer, type, item, this.#encodeRaw, this.#encoded)),
    );
    yield;
  }

  /** Encodes many members some at a time: a writer remembers each part, and writes all of them in one pass. */
  *#encodeMany<T>(
    field: MessageField,
    value: object,
    members: readonly T[],
    write: (writer: Writer, member: T) => void,
  ): Passes<void> {
    const pieces: Uint8Array[] = [];
    for (let i = 0; i < members.length; i += visitedAtOnce) {
      const some = members.slice(i, i + visitedAtOnce);
      pieces.push(bytesOf((writer) => some.forEach((member) => write(writer, member))));
      yield;
    }
    this.#encoded.members.set(value, { field, bytes: Buffer.concat(pieces) });
  }
}

const isMessage = ({ type }: MessageField): boolean => type.includes('.');

function bytesOf(write: (writer: Writer) => void): Uint8Array {
  const writer = protobuf.Writer.create();
  write(writer);
  return writer.finish();
}

/** Encodes an embedded object in passes. */
function* encodeJson(value: object): Passes<Uint8Array> {
  const text = yield* stringifyJsonInPasses(value);
  yield;
  return bytesOf((writer) => writeRaw(writer, Buffer.from(text)));
}

/** Names of stored objects usually are. */
function* isSorted(names: readonly string[]): Passes<boolean> {
  for (let i = 1; i < names.length; i++) {
    if ((names[i - 1] as string) > (names[i] as string)) return false;
    if (i % (16 * visitedAtOnce) === 0) yield;
  }
  return true;
}

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
