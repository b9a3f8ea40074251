import type { ServerResponse } from 'node:http';
import type { HttpResponse } from './listener/http-message.ts';

/** True while written data of a response's connection waits for the client to read. */
export function isBehind(res: HttpResponse): boolean {
  if (res.stream !== undefined) return (res.stream.session?.state.outboundQueueSize ?? 0) > 0;
  return ((res as ServerResponse).socket?.writableLength ?? 0) > 0;
}
