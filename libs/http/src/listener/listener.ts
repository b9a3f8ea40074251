import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import {
  type Http2SecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
  createSecureServer,
} from 'node:http2';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import {
  type Clock,
  ConnectionLimiter,
  type ConnectionLimits,
  createTurns,
  defaultConnectionLimits,
  type Logger,
} from '@annex/runtime';
import { type Connections, type LivenessTimes, livenessTimes, trackConnections } from './connections.ts';
import type { HttpRequest } from './http-message.ts';
import { Http2Request } from './http2-request.ts';
import { Http2Response } from './http2-response.ts';
import { defaultMaxStreams, http1Limits, http2Limits, http2Settings } from './listener-limits.ts';
import { defaultNegotiation, type KeyPair, type Negotiation, selectCertificates } from './negotiation.ts';
import { beginInOrder } from './pipelining.ts';
import { readThroughStream } from './read-through-stream.ts';
import { announcesBody } from './request-body.ts';
import type { RequestRunner } from './request-runner.ts';
import { hasTooManyLines, refuseHead } from './too-many-lines.ts';
import { upgradeHandler } from './upgrade-handler.ts';

/** The options of a listener; `C` is the context of a request. */
export interface ListenerOptions<C> extends RequestRunner<C> {
  bindAddress: string;
  /** 0 selects a free port. */
  port: number;
  /** PEM. */
  certificate: string;
  key: string;
  /** The certificate, PEM, for clients that send a server name. It returns the same object until a certificate changes. */
  certificateByName?: ((serverName: string) => KeyPair | undefined) | undefined;
  /** Default: TLS 1.2 and later, with the cipher suites and key exchange groups of Node. */
  negotiation?: Negotiation | undefined;
  clock: Clock;
  /** The timeouts of idle and dead connections. */
  liveness?: LivenessTimes;
  /** Limits of connections. Default: {@link defaultConnectionLimits}. */
  connectionLimits?: ConnectionLimits | undefined;
  /** Concurrent streams of one HTTP/2 connection. */
  maxStreamsPerConnection?: number | undefined;
  /** Default: no logs. */
  log?: Logger;
  /** Other threads of this process listen on the same port. The system distributes the connections. */
  sharedPort?: SharedPort | undefined;
  /** Handles `Upgrade` requests of HTTP/1.1 in the same way; without it they are ordinary requests. */
  upgrades?: boolean;
}

/** A port that several threads of a process listen on. */
export interface SharedPort {
  /** The thread that binds the port before all others: no other process may use it. */
  isFirst: boolean;
  /** The 48 bytes that encrypt TLS session tickets: a client can resume its session in every thread. */
  ticketKeys: Buffer;
}

/** An HTTPS endpoint for HTTP/2 and HTTP/1.1. */
export interface Listener {
  /** Resolves to the port when connections are accepted. */
  start(): Promise<number>;
  /** Uses this certificate, PEM, for new connections. */
  renew(certificate: KeyPair): void;
  /** Ends HTTP/1.1 connections after their next response, so that their clients open others. */
  drain(): void;
  /**
   * Accepts no new connections, ends watches, waits for other requests, and closes the rest after the grace
   * time.
   */
  stop(graceMs: number): Promise<void>;
}

/** Accepts any client certificate in the handshake: authenticators verify it. */
const clientCertificates = {
  requestCert: true,
  rejectUnauthorized: false,
} as const;

/** Creates a listener. */
export function createListener<C>(options: ListenerOptions<C>): Listener {
  const stopping = new AbortController();
  const { negotiation = defaultNegotiation } = options;
  const { server, connections } = createServer(options, stopping.signal);
  return {
    drain: () => connections.drain(),
    start: () => listen(server, options),
    renew: ({ cert, key }) =>
      server.setSecureContext({ cert, key, ...negotiation, ...sessionsOf(options) } as TlsOptions),
    stop(graceMs) {
      stopping.abort();
      return connections.close(graceMs);
    },
  };
}

/** Creates the server of a listener, and tracks its connections. `stopping` aborts when the listener stops. */
export function createServer<C>(
  options: ListenerOptions<C>,
  stopping: AbortSignal,
): { server: Http2SecureServer; connections: Connections } {
  const { createContext, negotiation = defaultNegotiation, run } = options;
  const now = () => options.clock.now();
  const inTurn = createTurns();
  const server = createSecureServer(
    {
      cert: options.certificate,
      key: options.key,
      allowHTTP1: true,
      ...negotiation,
      ...sessionsOf(options),
      ...selectCertificates(options.certificateByName, negotiation),
      ...clientCertificates,
      ...http2Limits,
      ...http2Messages,
      settings: http2Settings(options.maxStreamsPerConnection ?? defaultMaxStreams),
      // Repeated headers of a backend are forwarded unchanged.
      strictSingleValueFields: false,
    },
    (request, response) => {
      const req = request as HttpRequest;
      const res = response as unknown as Http2Response | ServerResponse;
      if (hasTooManyLines(req)) return refuseHead(req, res);
      beginInOrder(req, res, () => {
        const ctx = createContext(req, res, now(), stopping, connections.of(req, res));
        // A persistent connection is the default in HTTP/1.1 (RFC 9112 section 9.3), and kube-apiserver does
        // not send the header.
        if (!(res instanceof Http2Response) && req.httpVersion === '1.1') {
          if (connections.isDraining) res.setHeader('Connection', 'close');
          else if (res.shouldKeepAlive) res.removeHeader('Connection');
        }
        // Errors are handled by `run`; a rejection means a broken connection.
        const begin = () => inTurn(() => void run(ctx).catch(() => res.destroy()));
        // Node emits the head before it reads on: a short body arrived with it, and is available in the next
        // turn.
        if (announcesBody(req)) setImmediate(begin);
        else begin();
      });
    },
  );
  Object.assign(server, http1Limits);
  const limiter = new ConnectionLimiter(
    options.connectionLimits ?? defaultConnectionLimits,
    reportClosed(options),
  );
  const connections = trackConnections(server, limiter, options.liveness ?? livenessTimes);
  server.on('secureConnection', readThroughStream);
  // Clients cause failed handshakes and resets; they are not logged.
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = error.code === 'ERR_SSL_HTTP_REQUEST' ? connections.tcpSocket(socket) : undefined;
    if (plain === undefined) socket.destroy();
    else plain.end(plainHttpResponse);
  });
  server.on('sessionError', (_error: Error, session?: ServerHttp2Session) => session?.destroy());
  if (options.upgrades) {
    server.on('upgrade', upgradeHandler(options, now, stopping, connections));
  }
  return { server, connections };
}

/** The classes of requests and responses over HTTP/2, as options of a server of `node:http2`. Its types require those of Node. */
export const http2Messages = {
  Http2ServerRequest: Http2Request,
  Http2ServerResponse: Http2Response,
} as unknown as Pick<SecureServerOptions, 'Http2ServerRequest' | 'Http2ServerResponse'>;

/** The interval of log lines about connections closed because of a limit, in milliseconds. */
const reportMs = 60_000;

function reportClosed({
  log,
  clock,
}: Pick<ListenerOptions<unknown>, 'log' | 'clock'>): (address: string) => void {
  let reportedAt = -Infinity;
  return (address) => {
    if (log === undefined || clock.now() - reportedAt < reportMs) return;
    reportedAt = clock.now();
    log.warn('too many connections: those without a user are closed in favor of new ones', { address });
  };
}

/** Go's response to HTTP requests on the HTTPS port. */
const plainHttpResponse = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Sessions of one context can be resumed in another thread. By default, Node hashes the arguments, which are those of the thread. */
const sessionIdContext = 'annex';

const sessionsOf = <C>({ sharedPort }: ListenerOptions<C>) =>
  sharedPort === undefined ? {} : { ticketKeys: sharedPort.ticketKeys, sessionIdContext };

async function listen(
  server: Http2SecureServer,
  {
    bindAddress: host,
    log,
    port,
    sharedPort,
  }: Pick<ListenerOptions<unknown>, 'bindAddress' | 'port' | 'log' | 'sharedPort'>,
): Promise<number> {
  if (sharedPort?.isFirst && port !== 0) await requireFreePort(port, host);
  server.listen({ port, host, reusePort: sharedPort !== undefined });
  await once(server, 'listening');
  // A process without free file descriptors accepts no connection, and continues with the existing ones.
  server.on('error', ({ message }) => log?.warn('cannot accept a connection', { error: message }));
  return (server.address() as AddressInfo).port;
}

/** Rejects if a port is in use. Another process of the same user could otherwise share it. */
async function requireFreePort(port: number, host: string): Promise<void> {
  const probe = createPlainServer();
  probe.listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}
