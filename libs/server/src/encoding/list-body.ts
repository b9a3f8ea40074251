import { loadProtobuf } from '@annex/kinds';
import { Buffer } from 'node:buffer';
import {
  encodeYaml,
  encodeYamlInPasses,
  finishInSlices,
  hasManyParts,
  stringifyJson,
} from '@annex/machinery';
import { pause, stringifyInSlices } from '../large-objects.ts';
import { type Encoding, withoutMessage } from './negotiation.ts';
import { createPacer } from '@annex/runtime';

/** The body in consecutive pieces. */
export interface Pieces {
  contentType: string;
  pieces: readonly Uint8Array[];
}

/** The bytes around the items of a list, and the encoder of an item. */
export interface ListFrame<T> {
  head: string;
  between: string;
  tail: string;
  encode(item: T): Buffer | string | Promise<Buffer | string>;
}

/** A list to encode: `items`, or the `rows` of a Table, at their position among the members or at the end. */
export interface ListValue {
  members: Readonly<Record<string, unknown>>;
  name: 'items' | 'rows';
  items: Iterable<unknown>;
  /** Encodes an empty list as null, as Go encodes a nil slice. JSON only. */
  nullIfEmpty?: boolean;
}

/** Encodes a list item by item and yields between items, so that long lists do not block the event loop. */
export async function encodeList(encoding: Encoding, pretty: boolean, list: ListValue): Promise<Pieces> {
  if (encoding === 'application/vnd.kubernetes.protobuf') {
    const { encodeProtobufList } = await loadProtobuf();
    const pieces = await encodeProtobufList(list.members, list.items, createPacer());
    if (pieces === undefined) throw withoutMessage(list.members);
    return { contentType: encoding, pieces };
  }
  if (encoding === 'application/yaml') {
    return { contentType: encoding, pieces: await framed(yamlFrame(list), list.items) };
  }
  if (list.nullIfEmpty === true && isEmpty(list.items)) {
    const text = stringifyJson({ ...list.members, [list.name]: null }, pretty ? 2 : undefined);
    return { contentType: 'application/json', pieces: [Buffer.from(pretty ? text : `${text}\n`)] };
  }
  const frame = pretty ? prettyFrame(list) : jsonFrame(list);
  return { contentType: 'application/json', pieces: await framed(frame, list.items) };
}

/** Returns the pieces of a list with its frame. */
export async function framed<T>(frame: ListFrame<T>, items: Iterable<T>): Promise<Buffer[]> {
  const between = Buffer.from(frame.between);
  const pieces: Buffer[] = [Buffer.from(frame.head)];
  const pace = createPacer();
  for (const item of items) {
    const pause = pace();
    if (pause) await pause;
    if (pieces.length > 1 && between.length > 0) pieces.push(between);
    const encoded = frame.encode(item);
    const bytes = encoded instanceof Promise ? await encoded : encoded;
    pieces.push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  }
  pieces.push(Buffer.from(frame.tail));
  return pieces;
}

function jsonFrame({ members, name }: ListValue): ListFrame<unknown> {
  const [head, tail] = split(stringifyJson({ ...members, [name]: [] }), `"${name}":[`);
  const encode = (item: unknown) => (hasManyParts(item) ? stringifyInSlices(item) : stringifyJson(item));
  return { head, between: ',', tail: `${tail}\n`, encode };
}

function prettyFrame({ members, name, items }: ListValue): ListFrame<unknown> {
  const [head, tail] = split(stringifyJson({ ...members, [name]: [] }, 2), `"${name}": [`);
  // JSON has no line breaks within strings.
  const encode = (item: unknown) => `\n${stringifyJson(item, 2)}`.replaceAll('\n', '\n    ');
  return { head, between: ',', tail: isEmpty(items) ? tail : `\n  ${tail}`, encode };
}

function yamlFrame({ members, name, items }: ListValue): ListFrame<unknown> {
  const text = encodeYaml({ ...members, [name]: [] });
  if (isEmpty(items)) return { head: text, between: '', tail: '', encode: encodeYaml };
  const [before, tail] = split(`\n${text}`, `\n${name}: []\n`);
  const line = `${name}:\n`;
  const encode = async (item: unknown) =>
    (await finishInSlices(encodeYamlInPasses({ [name]: [item] }), pause)).subarray(line.length);
  return { head: before.slice(1, -`: []\n`.length - name.length) + line, between: '', tail, encode };
}

/** Splits a text behind the first occurrence of another text. */
function split(text: string, at: string): [string, string] {
  const end = text.indexOf(at) + at.length;
  return [text.slice(0, end), text.slice(end)];
}

const isEmpty = (items: Iterable<unknown>): boolean => items[Symbol.iterator]().next().done === true;
