import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';

/** Returns the bytes of a response that wait for its client. */
export function unsentBytes(res: ServerResponse): number {
  // The compatibility response of HTTP/2 counts on its stream.
  const { stream } = res as { stream?: { writableLength: number } };
  return stream?.writableLength ?? res.writableLength;
}

/** True while written data of a response's connection waits for the client to read. */
export function isBehind(res: ServerResponse): boolean {
  const { stream } = res as unknown as Partial<Http2ServerResponse>;
  if (stream !== undefined) return (stream.session?.state.outboundQueueSize ?? 0) > 0;
  return (res.socket?.writableLength ?? 0) > 0;
}
