import type { IncomingMessage, RequestListener, Server, ServerOptions } from 'node:http';
import { createServer as createTlsServer, type ServerOptions as TlsServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import { nodeHttp } from '@annex/runtime';
import {
  firstRequestTimeoutMs,
  maxAddressBytes,
  maxConnectRequestBytes,
  maxFrontendConnections,
} from '../limits.ts';
import type { DialSetting } from '../tunnel/dial.ts';
import { ConnectFrontend } from './connect-frontend.ts';

/** Creates the server of mode `http-connect`, with TLS if it has options. Connections are counted by `opened`. */
export function createConnectServer(
  tls: TlsServerOptions | undefined,
  dials: DialSetting,
  opened: (socket: Socket) => void,
): Server {
  const options: ServerOptions = {
    maxHeaderSize: maxConnectRequestBytes,
    headersTimeout: firstRequestTimeoutMs,
    requestTimeout: firstRequestTimeoutMs,
  };
  const server =
    tls === undefined
      ? nodeHttp.createServer(options, refuse)
      : (createTlsServer(
          { ...options, ...tls, allowHalfOpen: true } as TlsServerOptions,
          refuse,
        ) as unknown as Server);
  server.maxConnections = maxFrontendConnections;
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const address = request.url ?? '';
    if (address.length > maxAddressBytes)
      return void socket.end(`${badRequest}the address is too long`).destroySoon();
    if (isMalformed(request)) return void socket.end(`${badRequest}400 Bad Request`).destroySoon();
    opened(socket);
    new ConnectFrontend(socket, head, address, dials);
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(`${badRequest}400 Bad Request`);
  });
  return server;
}

/** As in Go: one host at most, and a port in digits. */
function isMalformed({ rawHeaders, url = '' }: IncomingMessage): boolean {
  if (rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length > 1) return true;
  const colon = url.lastIndexOf(':');
  return (
    colon >= 0 &&
    !url.endsWith(']') &&
    Array.from(url.slice(colon + 1)).some((digit) => digit < '0' || digit > '9')
  );
}

const badRequest =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n';

const connectOnly = 'this proxy only supports CONNECT passthrough\n';

const refuse: RequestListener = (_request, response) => {
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': connectOnly.length,
    Connection: 'close',
  };
  response.writeHead(405, headers).end(connectOnly);
};
