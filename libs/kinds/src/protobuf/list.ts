import { finishInSlices, type JsonObject } from '@annex/machinery';
import protobuf from 'protobufjs/minimal.js';
import { encodeMessage } from './encode.ts';
import { messageOf, messageOfKind } from './messages.ts';
import { encodeRaw, encodeValue, inEnvelope } from './protobuf.ts';

/**
 * Returns the pieces of a list in `application/vnd.kubernetes.protobuf`; `members` are the fields besides the
 * items. Encodes item by item, and waits for `pace` before each. Returns `undefined` if the kind has no
 * protobuf form.
 */
export async function encodeProtobufList(
  members: Readonly<Record<string, unknown>>,
  items: Iterable<unknown>,
  pace: () => Promise<void> | undefined,
): Promise<Buffer[] | undefined> {
  const { apiVersion = '', kind } = members;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const name = messageOfKind(apiVersion, kind);
  const field = name && messageOf(name).fields.find(({ json }) => json === 'items');
  if (!name || !field) return undefined;
  const pieces = [];
  for (const item of items) {
    const pause = pace();
    if (pause) await pause;
    const bytes = await finishInSlices(encodeValue(field.type, item as JsonObject), pace);
    pieces.push(
      protobuf.Writer.create()
        .uint32((field.number << 3) | 2)
        .bytes(bytes)
        .finish(),
    );
  }
  const metadata = protobuf.Writer.create();
  encodeMessage(metadata, name, { ...members, items: null } as JsonObject, encodeRaw);
  // One kind of list has its items before its metadata.
  const message = field.number === 1 ? [...pieces, metadata.finish()] : [metadata.finish(), ...pieces];
  return inEnvelope(apiVersion, kind, message).map((piece) =>
    Buffer.from(piece.buffer, piece.byteOffset, piece.length),
  );
}
