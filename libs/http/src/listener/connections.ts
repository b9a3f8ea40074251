import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { type ConnectionLimiter, type CountedConnection } from '@annex/runtime';

/** The connections of a server: their limits, the clients that are gone, and how they end. */
export interface Connections {
  /** The connection under a TLS socket. */
  under(socket: Socket): Socket | undefined;
  /** The connection of a request that was just received, whose stream counts from now on. */
  of(req: IncomingMessage): ClientConnection | undefined;
  /** Accepts no more, lets requests end, and cuts off what is left after the grace time. */
  close(graceMs: number): Promise<void>;
}

/** When a connection on which nothing happens is closed. */
export interface LivenessTimes {
  /** HTTP/2 connections are pinged so often; others are probed by TCP after so long a silence. */
  askMs: number;
  /** A client that does not respond for so long is cut off. */
  pongMs: number;
  /** An HTTP/2 connection of a user without a stream is closed after so long, as kube-apiserver's are. */
  idleMs: number;
  /** The same where no user was authenticated. HTTP/1.1 has as long for the head of a request. */
  unauthenticatedIdleMs: number;
}

/** The pings are those of client-go for the other direction. */
export const livenessTimes: LivenessTimes = {
  askMs: 30_000,
  pongMs: 15_000,
  idleMs: 90_000,
  unauthenticatedIdleMs: 30_000,
};

/** Bytes of responses other than watches that wait for the client of one connection, beyond which it is cut off. */
export const maxUnsentBytesPerConnection = 64 * 1024 * 1024;

/** The same for all connections of a listener: the one that exceeds it is cut off. */
export const maxUnsentBytes = 512 * 1024 * 1024;

/** A connection of a client, as requests see it. */
export class ClientConnection {
  readonly #counted: CountedConnection;
  readonly #all: { unsentBytes: number };
  #unsentBytes = 0;
  readonly socket: Socket;
  /** Set where it speaks HTTP/2. */
  session: ServerHttp2Session | undefined;
  #openStreams = 0;
  #idleSince = performance.now();

  constructor(counted: CountedConnection, all: { unsentBytes: number }) {
    this.#counted = counted;
    this.#all = all;
    this.socket = counted.socket;
  }

  /** A user was authenticated on it. */
  authenticated(): void {
    this.#counted.authenticated();
  }

  /** Counts bytes that wait for the client to read; a client with too many is cut off. Returns what ends the wait. */
  holdUnsent(bytes: number): () => void {
    this.#unsentBytes += bytes;
    this.#all.unsentBytes += bytes;
    const isTooMuch =
      this.#unsentBytes > maxUnsentBytesPerConnection || this.#all.unsentBytes > maxUnsentBytes;
    if (isTooMuch) this.socket.destroy();
    return () => {
      this.#unsentBytes -= bytes;
      this.#all.unsentBytes -= bytes;
    };
  }

  /** Serves no request of HTTP/2 after those that it has. */
  readonly endAfterRequests = (): void => {
    if (this.session?.closed === false) this.session.close();
  };

  streamOpened(stream: ServerHttp2Stream): void {
    this.#openStreams++;
    stream.once('close', this.#streamClosed);
  }

  readonly #streamClosed = (): void => {
    if (--this.#openStreams === 0) this.#idleSince = performance.now();
  };

  /** Ends an HTTP/2 connection that has had no stream for too long: with GOAWAY first. */
  endIfIdle(now: number, { idleMs, unauthenticatedIdleMs }: LivenessTimes): void {
    const { session } = this;
    const max = this.#counted.isAuthenticated ? idleMs : unauthenticatedIdleMs;
    if (session === undefined || this.#openStreams > 0 || now - this.#idleSince < max) return;
    if (session.closed) session.destroy();
    else session.close();
  }
}

/** Follows the connections of a server. */
export function trackConnections(
  server: Http2SecureServer,
  limiter: ConnectionLimiter,
  times: LivenessTimes,
): Connections {
  /** By the client's address and port. */
  const open = new Map<string, ClientConnection>();
  const all = { unsentBytes: 0 };
  /** By what its requests share: the TLS socket or the session. */
  const connections = new WeakMap<object, ClientConnection>();
  server.on('connection', (socket: Socket) => {
    const counted = limiter.accept(socket);
    if (counted === undefined) return;
    const peer = peerOf(socket);
    const connection = new ClientConnection(counted, all);
    open.set(peer, connection);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, times.askMs);
    socket.once('close', () => {
      if (open.get(peer) === connection) open.delete(peer);
    });
  });
  server.on('secureConnection', (socket: Socket) => {
    const connection = open.get(peerOf(socket));
    if (connection !== undefined) connections.set(socket, connection);
  });
  server.on('session', (session: ServerHttp2Session) => {
    const connection = open.get(peerOf(session.socket));
    if (connection === undefined) return;
    connection.session = session;
    connections.set(session, connection);
  });
  const timers = [
    every(times.askMs, () => eachSession(open, (session) => ping(session, times.pongMs))),
    every(Math.min(times.unauthenticatedIdleMs, idleSweepMs), () => {
      const now = performance.now();
      for (const connection of open.values()) connection.endIfIdle(now, times);
    }),
  ];
  return {
    under: (socket) => open.get(peerOf(socket))?.socket,
    of(req) {
      const { stream } = req as { stream?: ServerHttp2Stream };
      if (stream === undefined) return connections.get(req.socket);
      const connection = stream.session && connections.get(stream.session);
      if (!stream.destroyed) connection?.streamOpened(stream);
      return connection;
    },
    close(graceMs) {
      for (const timer of timers) clearInterval(timer);
      return close(server, open, graceMs);
    },
  };
}

/** How often idle connections are looked for. */
const idleSweepMs = 5_000;

const every = (ms: number, run: () => void): NodeJS.Timeout => setInterval(run, ms).unref();

const peerOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress} ${remotePort}`;

type OpenConnections = ReadonlyMap<string, ClientConnection>;

function eachSession(open: OpenConnections, run: (session: ServerHttp2Session) => void): void {
  for (const { session } of open.values()) if (session !== undefined) run(session);
}

/** A client whose machine or network is gone holds its watches for hours otherwise: TCP alone notices only when something is sent. */
function ping(session: ServerHttp2Session, answerMs: number): void {
  // One that is about to end has not said so yet.
  if (session.destroyed) return;
  let answered = false;
  const lost = () => {
    if (!answered) session.destroy();
  };
  // After a time in which this process was stopped, the answer is already there and only has to be read.
  const timer = setTimeout(() => setImmediate(lost), answerMs).unref();
  session.ping(() => {
    answered = true;
    clearTimeout(timer);
  });
}

/** How often a server that stops looks for connections that became idle. */
const sweepMs = 10;

function close(server: Http2SecureServer, open: OpenConnections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      for (const { socket } of open.values()) socket.destroy();
    }, graceMs);
    // Idle HTTP/1.1 connections would hold the server until their clients let go, also those that are idle from now on.
    const { closeIdleConnections } = server as unknown as { closeIdleConnections(): void };
    const sweep = setInterval(() => closeIdleConnections.call(server), sweepMs);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    eachSession(open, (session) => session.close());
  });
}
