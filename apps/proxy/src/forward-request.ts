import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { requireFinalResponse } from '@annex/runtime';
import { createProxyServer } from 'http-proxy-3';
import { isOfConnection, outgoingHeaders, type ServerIdentity } from './outgoing-headers.ts';

/** The server that requests are forwarded to. */
export interface ForwardTarget {
  url: URL;
  agent: Agent;
  identity: ServerIdentity;
}

/** The largest body that is read before it is forwarded, in bytes. Source: the limit of kube-apiserver for every body. */
export const maxBufferedBytes = 3 * 1024 * 1024;

/** Forwards requests. `failed` writes the response where the server is not reached. */
export function requestForwarder(
  { agent, identity, url: { hostname, port, protocol } }: ForwardTarget,
  failed: (error: Error, response: ServerResponse) => void,
) {
  // `toProxy` sends the path as it is. The default resolves `%2e` in it, which the filter has not seen.
  const proxy = createProxyServer({
    target: { protocol, host: hostname, port: Number(port || (protocol === 'http:' ? 80 : 443)) },
    agent,
    toProxy: true,
    prependPath: false,
    selfHandleResponse: true,
  });
  proxy.on('proxyReq', (sent: ClientRequest) => requireFinalResponse(sent));
  proxy.on('proxyRes', (received, _request, response) => void passResponse(received, response));
  return async (request: IncomingMessage, response: ServerResponse, target: string): Promise<void> => {
    const headers = outgoingHeaders(request, identity);
    const buffer = await wholeBody(request);
    if (buffer !== undefined) headers['content-length'] = buffer.length;
    // The library copies the URL and the headers of the request.
    request.url = target;
    Object.assign(request, { headers });
    const body = buffer === undefined ? {} : { buffer: Readable.from(buffer) };
    proxy.web(request, response, body, (error) => failed(error, response));
  };
}

/** Methods whose bodies Node sends without framing if their length is unknown: their bytes would be read as another request. */
const withoutChunks = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** Reads a body whose length is unknown, where it must be known. */
async function wholeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  if (!withoutChunks.has(request.method ?? '')) return undefined;
  if (request.headers['transfer-encoding'] === undefined) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBufferedBytes) throw new Error('http: request body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

/** Writes the response head at once, because the body of a watch comes later. A response that breaks off ends the connection. */
async function passResponse(received: IncomingMessage, response: ServerResponse): Promise<void> {
  const isDropped = isOfConnection(received.headers);
  const pairs = (raw: readonly string[]): [string, string][] =>
    raw.flatMap((name, index) =>
      index % 2 === 0 && !isDropped(name.toLowerCase()) ? [[name, raw[index + 1] ?? '']] : [],
    );
  try {
    response.writeHead(received.statusCode ?? 502, received.statusMessage, pairs(received.rawHeaders).flat());
    response.flushHeaders();
    // The trailers are known before the response ends.
    received.once('end', () => response.addTrailers(pairs(received.rawTrailers)));
    await pipeline(received, response);
  } catch {
    received.destroy();
    response.destroy();
  }
}
