import { Buffer } from 'node:buffer';
import { isObject, type JsonObject, type JsonValue, stringifyJson } from '@annex/machinery';
import { createPacer } from '@annex/runtime';

/** Members are encoded one by one down to this depth: the components and the operations of a document. */
const depth = 3;
const pieceLength = 64 * 1024;

/**
 * Encodes a document as JSON in consecutive pieces, and yields between them so that large documents do not
 * block the event loop.
 */
export async function encodeDocument(document: JsonObject): Promise<Buffer[]> {
  const pace = createPacer();
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of textOf(document, depth)) {
    text += part;
    if (text.length >= pieceLength) {
      pieces.push(Buffer.from(text));
      text = '';
    }
    const pause = pace();
    if (pause) await pause;
  }
  return [...pieces, Buffer.from(text)];
}

function* textOf(value: JsonValue, depth: number): Generator<string> {
  if (depth === 0 || !isObject(value)) return yield stringifyJson(value);
  let before = '{';
  for (const [name, member] of Object.entries(value)) {
    yield `${before}${JSON.stringify(name)}:`;
    yield* textOf(member, depth - 1);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}
