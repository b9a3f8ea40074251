import { Buffer } from 'node:buffer';

/** Bytes of unused buffers of one size that are kept. */
const keptBytes = 4 * 1024 * 1024;

const unused = new Map<number, Buffer[]>();

/**
 * Returns a buffer with arbitrary content. Memory outside of the heap makes V8 collect garbage early: a server that sends long lists
 * all the time pauses less if it reuses the same few buffers.
 */
export const takeBuffer = (size: number): Buffer => unused.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);

/** Returns a buffer for reuse. Nothing may read or write it any more. */
export function returnBuffer(buffer: Buffer): void {
  const kept = unused.get(buffer.length) ?? [];
  if (kept.length * buffer.length < keptBytes) kept.push(buffer);
  unused.set(buffer.length, kept);
}
