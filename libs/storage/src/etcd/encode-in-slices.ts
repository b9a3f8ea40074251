import { createPacer } from '@annex/runtime';
import { codec } from './codec.ts';
import type { MessageDraft, MessageName } from './messages.ts';

/** Items that are encoded between two looks at the clock. Each may have 1.5 MiB. */
const itemsAtOnce = 8;

/** A long list of a message. */
interface LongList<N extends MessageName, T> {
  field: keyof MessageDraft<N>;
  items: readonly T[];
  /** Converts an item to what is sent. */
  convert(item: T): unknown;
}

/** Encodes a message with a list in time slices. */
export async function encodeInSlices<N extends MessageName, T>(
  name: N,
  message: MessageDraft<N>,
  { field, items, convert }: LongList<N, T>,
): Promise<Buffer> {
  const { encode } = codec(name);
  const part = (from: number) =>
    ({ [field]: items.slice(from, from + itemsAtOnce).map(convert) }) as MessageDraft<N>;
  if (items.length <= itemsAtOnce) return encode({ ...message, ...part(0) });
  // The fields of a protobuf message can be in any order, and a list in any number of parts.
  const parts = [encode(message)];
  const pace = createPacer();
  for (let i = 0; i < items.length; i += itemsAtOnce) {
    const paused = pace();
    if (paused !== undefined) await paused;
    parts.push(encode(part(i)));
  }
  return await joined(parts, pace);
}

/** Joins buffers in time slices. */
async function joined(parts: readonly Buffer[], pace: () => Promise<void> | undefined): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    const paused = pace();
    if (paused !== undefined) await paused;
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
