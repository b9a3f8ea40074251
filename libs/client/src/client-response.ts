import type { IncomingHttpHeaders } from 'node:http';
import type { ClientMessage } from './connections.ts';

/** A complete response of any status. */
export interface ClientResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Default limit of a response, in bytes. */
export const maxResponseBytes = 64 * 1024 * 1024;

/** Reads a body to its end. Throws if it is larger than the limit. */
export async function readWhole(message: ClientMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the connection.
    if (length > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
