import { Buffer } from 'node:buffer';
import { frameFlags, frameHeader, frameHeaderBytes, frameTypes } from './frame.ts';

/** A field with a new name that is not added to a table. Source: RFC 7541, section 6.2.2. */
const literalField = 0x00;

/** The bits of the first byte of a length. Source: RFC 7541, section 5.1. */
const lengthBits = 0x7f;
const more = 0x80;

/** Returns the HEADERS frame that ends a stream with trailers. Names are lower case, values ASCII. */
export function trailersFrame(streamId: number, fields: Readonly<Record<string, string>>): Buffer {
  const block = Object.entries(fields).flatMap(([name, value]) => [
    literalField,
    ...literal(name),
    ...literal(value),
  ]);
  const flags = frameFlags.endStream | frameFlags.endHeaders;
  const frame = frameHeader(
    { length: block.length, type: frameTypes.headers, flags, streamId },
    block.length,
  );
  frame.set(block, frameHeaderBytes);
  return frame;
}

function literal(text: string): number[] {
  return [...lengthOf(text.length), ...Buffer.from(text, 'latin1')];
}

/** Encodes a length in HPACK's integers. */
function lengthOf(length: number): number[] {
  if (length < lengthBits) return [length];
  const bytes = [lengthBits];
  let rest = length - lengthBits;
  for (; rest >= more; rest = Math.floor(rest / more)) bytes.push((rest % more) + more);
  bytes.push(rest);
  return bytes;
}
