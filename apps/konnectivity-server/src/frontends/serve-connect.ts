import type { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestListener, Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { hostProblem, nodeHttp } from '@annex/runtime';
import {
  firstRequestTimeoutMs,
  maxAddressBytes,
  maxConnectRequestBytes,
  maxFrontendConnections,
} from '../limits.ts';
import type { DialSetting } from '../tunnel/dial.ts';
import { ConnectFrontend } from './connect-frontend.ts';
import { isAuthority, readPlainConnect } from './connect-request.ts';

/** Takes a connection with its request: the bytes that came after it, and the address. */
type Connected = (socket: Socket, head: Buffer, address: string) => void;

/** Creates the server of mode `http-connect`, with TLS if it has options. Connections are counted by `opened`. */
export function createConnectServer(
  tls: TlsOptions | undefined,
  dials: DialSetting,
  opened: (socket: Socket) => void,
): Server {
  const connected: Connected = (socket, head, address) => {
    opened(socket);
    new ConnectFrontend(socket, head, address, dials);
  };
  const http = createHttpServer(connected);
  const accept = (socket: Socket) => acceptConnection(socket, http, connected);
  const options = { allowHalfOpen: true, noDelay: true };
  const server =
    tls === undefined
      ? createServer(options, accept)
      : createTlsServer(
          { ...tls, ...options, handshakeTimeout: firstRequestTimeoutMs } as TlsOptions,
          accept,
        );
  // A failed handshake concerns nobody but its client. Node leaves connections open whose handshake does not come.
  server.on('tlsClientError', (_error, socket: Socket) => void socket.destroy());
  server.maxConnections = maxFrontendConnections;
  return server;
}

/** Reads the request of a connection. All but the plain ones are read by node:http, whose objects cost a third of a connection. */
function acceptConnection(socket: Socket, http: HttpServer, connected: Connected): void {
  const timer = setTimeout(() => socket.destroy(), firstRequestTimeoutMs);
  deadlines.set(socket, timer);
  const failed = (): void => void socket.destroy();
  const closed = (): void => clearTimeout(timer);
  socket.on('error', failed).once('close', closed).once('end', failed);
  socket.once('data', (bytes: Buffer) => {
    socket.off('error', failed).off('end', failed);
    const plain = readPlainConnect(bytes);
    if (plain === undefined) {
      socket.pause().unshift(bytes);
      http.emit('connection', socket);
      socket.resume();
      return;
    }
    clearTimeout(timer);
    socket.off('close', closed);
    connected(socket, bytes.subarray(plain.length), plain.address);
  });
}

/** When the request of a connection has to be there. */
const deadlines = new WeakMap<Socket, NodeJS.Timeout>();

/** The server of requests that are not plain. */
function createHttpServer(connected: Connected): HttpServer {
  const http = nodeHttp.createServer({ maxHeaderSize: maxConnectRequestBytes }, refuse);
  http.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    clearTimeout(deadlines.get(socket));
    const address = request.url ?? '';
    const problem = problemOf(request, address);
    if (problem === undefined) connected(socket, head, address);
    else socket.end(refusal(...problem)).destroySoon();
  });
  http.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end(refusal(badRequest));
  });
  return http;
}

const badRequest = '400 Bad Request';

/** Returns why a CONNECT request is refused: the status, and the body if it is another text. */
function problemOf(request: IncomingMessage, address: string): [status: string, body?: string] | undefined {
  if (request.httpVersionMajor !== 1) return ['505 HTTP Version Not Supported: unsupported protocol version'];
  if (address.length > maxAddressBytes) return [badRequest, 'the address is too long'];
  const status = isAuthority(address) ? hostProblem(request) : badRequest;
  return status === undefined ? undefined : [status];
}

/** As Go's server refuses a request that is malformed. */
const refusal = (status: string, body = status): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${body}`;

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
