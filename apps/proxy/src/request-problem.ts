import type { IncomingMessage } from 'node:http';
import { hostProblem } from '@annex/runtime';
import { type PlainResponse, refusedRequest } from './plain-response.ts';

/** Returns the response with which Go's net/http refuses a request before its path is read. Node accepts more. */
export function requestProblem(request: IncomingMessage): PlainResponse | undefined {
  const { headers, httpVersion, method, url } = request;
  if (httpVersion !== '1.0' && httpVersion !== '1.1')
    return refusedRequest('505 HTTP Version Not Supported: unsupported protocol version');
  // Node ignores other encodings before the last one, and the server would not see them.
  if ((headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked')
    return { ...refusedRequest('501 Not Implemented'), body: 'Unsupported transfer encoding' };
  const problem = hostProblem(request);
  if (problem !== undefined) return refusedRequest(problem);
  if (url === '*') return { status: method === 'OPTIONS' ? 200 : 400, headers: {}, body: '' };
  return undefined;
}
