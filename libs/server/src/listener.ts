import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Http2SecureServer, type ServerHttp2Session, createSecureServer } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '@annex/runtime';
import { maxHeadBytes } from './aggregation/limits.ts';
import { type LivenessTimes, trackConnections } from './connections.ts';
import { createContext } from './context.ts';
import { beginInOrder } from './pipelining.ts';
import { type Step, composeSteps } from './step.ts';
import { markStep } from './trace/decision-trace.ts';
import { createTurns } from './turns.ts';
import { upgradeHandler } from './upgrade-handler.ts';

/** How requests come in. */
export interface ListenerOptions {
  bindAddress: string;
  /** 0 takes a free one. */
  port: number;
  /** PEM. */
  certificate: string;
  key: string;
  steps: readonly Step[];
  clock: Clock;
  /** When a connection whose client says nothing more is taken to be lost. */
  liveness?: LivenessTimes;
  /** Takes `Upgrade` requests of HTTP/1.1 through the same steps; without it they are like any other. */
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

/** Limits on what a client can make the server hold. */
const limits = {
  maxHeaderSize: 64 * 1024,
  headersTimeout: 30_000,
  handshakeTimeout: 15_000,
  // As kube-apiserver. Clients that keep connections for less never send into one that is just being closed.
  http1Options: { keepAliveTimeout: 90_000 },
  maxSessionMemory: 64,
  // The heads of extension servers are passed on whole, whatever their compression adds.
  maxSendHeaderBlockLength: 2 * maxHeadBytes,
  // What a backend says several times is passed on as often.
  strictSingleValueFields: false,
  settings: { maxConcurrentStreams: 1000, initialWindowSize: 1024 * 1024, maxHeaderListSize: 64 * 1024 },
} as const;

/** Makes a listener that runs the steps for each request. */
export function createListener(options: ListenerOptions): Listener {
  const run = composeSteps(options.steps, (step, ctx, at) => markStep(ctx.trace, step, at));
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
      ...limits,
    },
    (request, response) => {
      const req = request as unknown as IncomingMessage;
      const res = response as unknown as ServerResponse;
      beginInOrder(req, res, () => {
        const ctx = createContext(req, res, now(), stopping.signal);
        // That a connection is kept goes without saying in HTTP/1.1 (RFC 9112 section 9.3), and kube-apiserver does not say it.
        if (req.httpVersion === '1.1' && res.shouldKeepAlive) res.removeHeader('Connection');
        // The steps answer every error themselves; what comes here is a broken connection.
        const begin = () => inTurn(() => void run(ctx).catch(() => res.destroy()));
        // Node tells of the head before it reads on: a short body came with it, and is there in the next turn.
        if (hasBody(req)) setImmediate(begin);
        else begin();
      });
    },
  );
  const connections = trackConnections(server, options.liveness);
  // Broken handshakes and resets are the clients' doing; nothing is logged for them.
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const plain = error.code === 'ERR_SSL_HTTP_REQUEST' ? connections.under(socket) : undefined;
    if (plain === undefined) socket.destroy();
    else plain.end(plainHttpAnswer);
  });
  server.on('sessionError', (_error: Error, session?: ServerHttp2Session) => session?.destroy());
  if (options.upgrades) server.on('upgrade', upgradeHandler(run, now, stopping.signal));
  return {
    start: () => listen(server, options),
    renew: ({ cert, key }) => server.setSecureContext({ cert, key, minVersion }),
    stop(graceMs) {
      stopping.abort();
      return connections.close(graceMs);
    },
  };
}

const hasBody = ({ headers, httpVersionMajor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && (headers['content-length'] !== undefined || 'transfer-encoding' in headers);

/** What Go's server says to those who forget the TLS. */
const plainHttpAnswer = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

function listen(server: Http2SecureServer, options: ListenerOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.bindAddress, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
