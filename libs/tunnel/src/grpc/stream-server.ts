import {
  createServer as createHttp2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer, type PeerCertificate, type TlsOptions, TLSSocket } from 'node:tls';
import { FramedConnection } from '../frames/framed-connection.ts';
import { isGone, refuseStream } from './accept-stream.ts';
import { checkRequest, type RequestError } from './request-head.ts';
import { joinConnection, sessionSettings, widenWindow } from './sessions.ts';

/** What a server of streams does. */
export interface StreamServerOptions {
  /** The only method, such as `/ProxyService/Proxy`. Without one, the head of a request is not checked. */
  method?: string;
  /** Without TLS, connections are plain. */
  tls: TlsOptions | undefined;
  /** Streams of one connection. */
  maxStreams: number;
  /** Connections; further ones are closed. */
  maxConnections: number;
  /** Milliseconds for the handshake and the first stream of a connection. */
  firstStreamMs: number;
  /** Takes a new stream that is still open, with its headers, the raw list of them, and the certificate of its client, if TLS verified one. */
  stream(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: string[],
    certificate: PeerCertificate | undefined,
  ): void;
  /** Takes a new connection. */
  session?(session: ServerHttp2Session): void;
}

/** Creates a server of gRPC streams, which does not listen yet. */
export function createStreamServer(options: StreamServerOptions): Server {
  const { tls, maxStreams, maxConnections, firstStreamMs, session } = options;
  const http2 = createHttp2Server({ settings: { ...sessionSettings, maxConcurrentStreams: maxStreams } });
  let accepted: FramedConnection | undefined;
  let certificate: PeerCertificate | undefined;
  const certificates = new WeakMap<object, PeerCertificate>();
  http2.on('session', (each) => {
    // The session is created while its connection is accepted.
    if (accepted !== undefined) joinConnection(each, accepted);
    if (certificate !== undefined) certificates.set(each, certificate);
    widenWindow(each);
    requireStream(each, firstStreamMs);
    session?.(each);
  });
  http2.on('sessionError', () => undefined);
  http2.on(
    'stream',
    (each: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, raw: string[]) => {
      each.on('error', () => undefined);
      // Clients may reset a stream in the bytes that open it, and Node reports it afterwards.
      if (!isGone(each)) serve(options, each, headers, raw, certificates.get(each.session ?? {}));
    },
  );
  const accept = (socket: Duplex) => {
    certificate = certificateOf(socket);
    accepted = new FramedConnection(socket, 'server', maxStreams);
    http2.emit('connection', accepted);
  };
  const server =
    tls === undefined ? createServer({ noDelay: true }, accept) : tlsServer(tls, firstStreamMs, accept);
  server.maxConnections = maxConnections;
  return server;
}

function serve(
  { method, stream }: StreamServerOptions,
  ...[opened, headers, raw, certificate]: Parameters<StreamServerOptions['stream']>
): void {
  try {
    if (method !== undefined) checkRequest(headers, method);
  } catch (error) {
    return refuseStream(opened, error as RequestError);
  }
  stream(opened, headers, raw, certificate);
}

function tlsServer(tls: TlsOptions, handshakeTimeout: number, accept: (socket: Duplex) => void): Server {
  const options = { ...tls, noDelay: true, handshakeTimeout, ALPNProtocols: ['h2'] } as TlsOptions;
  const server = createTlsServer(options, accept);
  // A failed handshake concerns nobody but its client. Node leaves connections open whose handshake does not come.
  server.on('tlsClientError', (_error, socket) => void socket.destroy());
  return server;
}

function certificateOf(socket: Duplex): PeerCertificate | undefined {
  return socket instanceof TLSSocket && socket.authorized ? socket.getPeerCertificate() : undefined;
}

/** Closes a connection that opens no stream in time. */
function requireStream(session: ServerHttp2Session, ms: number): void {
  const timer = setTimeout(() => session.destroy(), ms).unref();
  const stop = () => clearTimeout(timer);
  session.once('stream', stop).once('close', stop);
}
