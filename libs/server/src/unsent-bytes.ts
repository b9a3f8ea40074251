import type { ServerResponse } from 'node:http';

/** How many bytes of an answer wait for its client. */
export function unsentBytes(res: ServerResponse): number {
  // The compatibility response of HTTP/2 counts on its stream.
  const { stream } = res as { stream?: { writableLength: number } };
  return stream?.writableLength ?? res.writableLength;
}
