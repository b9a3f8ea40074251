import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Http2SecureServer, type ServerHttp2Session, createSecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import {
  type Clock,
  ConnectionLimiter,
  type ConnectionLimits,
  defaultConnectionLimits,
  type Logger,
} from '@annex/runtime';
import { type ClientConnection, type LivenessTimes, livenessTimes, trackConnections } from './connections.ts';
import { defaultMaxStreams, http2Settings, maxRequestHeadLines, nodeLimits } from './listener-limits.ts';
import { beginInOrder } from './pipelining.ts';
import { announcesBody } from './request-body.ts';
import { createTurns } from '../turns/turns.ts';
import { upgradeHandler } from './upgrade-handler.ts';

/** How a listener accepts requests, each of which gets a context `C`. */
export interface ListenerOptions<C> {
  bindAddress: string;
  /** 0 takes a free one. */
  port: number;
  /** PEM. */
  certificate: string;
  key: string;
  /** Makes the context of a request that was just received. `stopping` aborts when the listener stops. */
  createContext(
    req: IncomingMessage,
    res: ServerResponse,
    receivedAt: number,
    stopping: AbortSignal,
    connection: ClientConnection | undefined,
  ): C;
  /** Handles a request and all of its errors; a rejection closes the connection. */
  run(ctx: C): Promise<void>;
  clock: Clock;
  /** When a connection on which nothing happens is closed. */
  liveness?: LivenessTimes;
  /** How many connections are kept. Default: {@link defaultConnectionLimits}. */
  connectionLimits?: ConnectionLimits | undefined;
  /** Streams of one HTTP/2 connection at a time. */
  maxStreamsPerConnection?: number | undefined;
  /** Default: nothing is logged. */
  log?: Logger;
  /** Handles `Upgrade` requests of HTTP/1.1 in the same way; without it they are like any other. */
  upgrades?: boolean;
}

/** An HTTPS endpoint for HTTP/2 and HTTP/1.1. */
export interface Listener {
  /** Resolves to the port when connections are accepted. */
  start(): Promise<number>;
  /** Shows this certificate, PEM, to connections that are made from now on. */
  renew(certificate: { cert: string; key: string }): void;
  /** Accepts no more, ends watches, lets other requests end, and cuts off what is left after the grace time. */
  stop(graceMs: number): Promise<void>;
}

const minVersion = 'TLSv1.2';

/** Takes any client certificate in the handshake: whom it belongs to is for the authenticators to say. */
const clientCertificates = { requestCert: true, rejectUnauthorized: false } as const;

/** Makes a listener. */
export function createListener<C>(options: ListenerOptions<C>): Listener {
  const { createContext, run } = options;
  const now = () => options.clock.now();
  const stopping = new AbortController();
  const inTurn = createTurns();
  const server = createSecureServer(
    {
      cert: options.certificate,
      key: options.key,
      allowHTTP1: true,
      minVersion,
      ...clientCertificates,
      ...nodeLimits,
      settings: http2Settings(options.maxStreamsPerConnection ?? defaultMaxStreams),
      // What a backend says several times is passed on as often.
      strictSingleValueFields: false,
    },
    (request, response) => {
      const req = request as unknown as IncomingMessage;
      const res = response as unknown as ServerResponse;
      if (req.rawHeaders.length > 2 * maxRequestHeadLines) return refuseHead(req, res);
      beginInOrder(req, res, () => {
        const ctx = createContext(req, res, now(), stopping.signal, connections.of(req));
        // That a connection is kept goes without saying in HTTP/1.1 (RFC 9112 section 9.3), and kube-apiserver does not say it.
        if (req.httpVersion === '1.1' && res.shouldKeepAlive) res.removeHeader('Connection');
        // Errors are handled inside; what is rejected here is a broken connection.
        const begin = () => inTurn(() => void run(ctx).catch(() => res.destroy()));
        // Node tells of the head before it reads on: a short body came with it, and is there in the next turn.
        if (announcesBody(req)) setImmediate(begin);
        else begin();
      });
    },
  );
  Object.assign(server, { maxHeadersCount: maxRequestHeadLines + 1 });
  const limiter = new ConnectionLimiter(
    options.connectionLimits ?? defaultConnectionLimits,
    reportClosed(options),
  );
  const connections = trackConnections(server, limiter, options.liveness ?? livenessTimes);
  // Broken handshakes and resets are the clients' doing; nothing is logged for them.
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = error.code === 'ERR_SSL_HTTP_REQUEST' ? connections.under(socket) : undefined;
    if (plain === undefined) socket.destroy();
    else plain.end(plainHttpAnswer);
  });
  server.on('sessionError', (_error: Error, session?: ServerHttp2Session) => session?.destroy());
  if (options.upgrades) {
    server.on('upgrade', upgradeHandler(options, now, stopping.signal, connections));
  }
  return {
    start: () => listen(server, options),
    renew: ({ cert, key }) => server.setSecureContext({ cert, key, minVersion }),
    stop(graceMs) {
      stopping.abort();
      return connections.close(graceMs);
    },
  };
}

/** As Go's server responds to heads that are too large. */
function refuseHead(req: IncomingMessage, res: ServerResponse): void {
  if (req.httpVersionMajor === 1) res.setHeader('Connection', 'close');
  res.writeHead(431, { 'Content-Type': 'text/plain; charset=utf-8' });
  res.end('431 Request Header Fields Too Large');
}

/** How often the log has a line about connections that are closed because of a limit, in milliseconds. */
const reportMs = 60_000;

function reportClosed({
  log,
  clock,
}: Pick<ListenerOptions<unknown>, 'log' | 'clock'>): (address: string) => void {
  let reportedAt = -Infinity;
  return (address) => {
    if (log === undefined || clock.now() - reportedAt < reportMs) return;
    reportedAt = clock.now();
    log.warn('too many connections: those without a user are closed for new ones', { address });
  };
}

/** What Go's server says to those who forget the TLS. */
const plainHttpAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

function listen(
  server: Http2SecureServer,
  options: Pick<ListenerOptions<unknown>, 'bindAddress' | 'port' | 'log'>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.bindAddress, () => {
      server.off('error', reject);
      // A process without free file descriptors accepts no connection, and goes on with those that it has.
      server.on('error', ({ message }) =>
        options.log?.warn('cannot accept a connection', { error: message }),
      );
      resolve((server.address() as AddressInfo).port);
    });
  });
}
