import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';

/**
 * Writes the head of a response that has no trailers. Over HTTP/2, the response of Node's compatibility API waits for trailers: each body
 * then ends with another frame, in another write.
 */
export function writeHead(res: ServerResponse, code: number, headers: OutgoingHttpHeaders): void {
  const { stream } = res as unknown as Partial<Http2ServerResponse>;
  // Headers that were set before have to be joined with these.
  if (stream === undefined || stream.headersSent || res.getHeaderNames().length > 0)
    return void res.writeHead(code, headers);
  if (stream.destroyed || stream.closed) return;
  res.statusCode = code;
  stream.respond({ ':status': code, ...headers });
}
