import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import { type ConnectionLimiter, type CountedConnection } from '@annex/runtime';
import type { HttpRequest, HttpResponse } from './http-message.ts';

/** The connections of a server: their limits, liveness, and shutdown. */
export interface Connections {
  /** Returns the TCP connection of a TLS socket. */
  tcpSocket(socket: Socket): Socket | undefined;
  /** Returns the connection of a new request, and counts its stream. */
  of(req: HttpRequest, res: HttpResponse): ClientConnection | undefined;
  /** True after `drain`: HTTP/1.1 connections end with their next response. */
  readonly isDraining: boolean;
  drain(): void;
  /** Accepts no new connections, waits for running requests, and closes the rest after the grace time. */
  close(graceMs: number): Promise<void>;
}

/** The timeouts of idle and dead connections. */
export interface LivenessTimes {
  /** The interval of HTTP/2 pings, and of silence before TCP probes. */
  pingIntervalMs: number;
  /** A client that does not respond to a ping within this time is disconnected. */
  pingTimeoutMs: number;
  /** An authenticated HTTP/2 connection without a stream is closed after this time, as in kube-apiserver. */
  idleMs: number;
  /** The same for unauthenticated connections, and the timeout for the head of an HTTP/1.1 request. */
  unauthenticatedIdleMs: number;
}

/** The ping times are those of client-go. */
export const livenessTimes: LivenessTimes = {
  pingIntervalMs: 30_000,
  pingTimeoutMs: 15_000,
  idleMs: 90_000,
  unauthenticatedIdleMs: 30_000,
};

/**
 * Bytes of responses except watches that wait for the client of one connection; beyond it, the client is
 * disconnected.
 */
export const maxUnsentBytesPerConnection = 64 * 1024 * 1024;

/** The same for all connections of a listener: the one that exceeds it is closed. */
export const maxUnsentBytes = 512 * 1024 * 1024;

/** A client connection as requests see it. */
export class ClientConnection {
  readonly #counted: CountedConnection;
  readonly #all: { unsentBytes: number };
  #unsentBytes = 0;
  readonly socket: Socket;
  /** The IP address of the client. */
  readonly address: string | undefined;
  /** Set for HTTP/2. */
  session: ServerHttp2Session | undefined;
  #openStreams = 0;
  #idleSince = performance.now();

  constructor(counted: CountedConnection, all: { unsentBytes: number }) {
    this.#counted = counted;
    this.#all = all;
    this.socket = counted.socket;
    this.address = counted.socket.remoteAddress;
  }

  /** Records that a user was authenticated on it. */
  authenticated(): void {
    this.#counted.authenticated();
  }

  /**
   * Counts bytes that wait for the client to read; a client with too many is disconnected. Returns the
   * function that ends the wait.
   */
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

  /** Ends the HTTP/2 connection after its running requests. */
  readonly endAfterRequests = (): void => {
    if (this.session?.closed === false) this.session.close();
  };

  streamOpened(res: HttpResponse): void {
    this.#openStreams++;
    res.once('close', this.#streamClosed);
  }

  readonly #streamClosed = (): void => {
    if (--this.#openStreams === 0) this.#idleSince = performance.now();
  };

  /** Ends an HTTP/2 connection without streams after its timeout, with GOAWAY first. */
  endIfIdle(now: number, { idleMs, unauthenticatedIdleMs }: LivenessTimes): void {
    const { session } = this;
    const max = this.#counted.isAuthenticated ? idleMs : unauthenticatedIdleMs;
    if (session === undefined || this.#openStreams > 0 || now - this.#idleSince < max) return;
    if (session.closed) session.destroy();
    else session.close();
  }
}

/** Tracks the connections of a server. */
export function trackConnections(
  server: Http2SecureServer,
  limiter: ConnectionLimiter,
  times: LivenessTimes,
): Connections {
  /** By the client's address and port. */
  const open = new Map<string, ClientConnection>();
  const all = { unsentBytes: 0 };
  /** By the object that their requests share: the TLS socket or the session. */
  const connections = new WeakMap<object, ClientConnection>();
  server.on('connection', (socket: Socket) => {
    const counted = limiter.accept(socket);
    if (counted === undefined) return;
    const peer = peerOf(socket);
    const connection = new ClientConnection(counted, all);
    open.set(peer, connection);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, times.pingIntervalMs);
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
    every(times.pingIntervalMs, () => eachSession(open, (session) => ping(session, times.pingTimeoutMs))),
    every(Math.min(times.unauthenticatedIdleMs, idleSweepMs), () => {
      const now = performance.now();
      for (const connection of open.values()) connection.endIfIdle(now, times);
    }),
  ];
  let isDraining = false;
  return {
    get isDraining() {
      return isDraining;
    },
    drain() {
      isDraining = true;
    },
    tcpSocket: (socket) => open.get(peerOf(socket))?.socket,
    of({ socket, stream }, res) {
      if (stream === undefined) return socket && connections.get(socket);
      const connection = stream.session && connections.get(stream.session);
      if (!stream.destroyed) connection?.streamOpened(res);
      return connection;
    },
    close(graceMs) {
      for (const timer of timers) clearInterval(timer);
      return close(server, open, graceMs);
    },
  };
}

/** The interval of checks for idle connections. */
const idleSweepMs = 5_000;

const every = (ms: number, run: () => void): NodeJS.Timeout => setInterval(run, ms).unref();

const peerOf = ({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string =>
  `${remoteAddress} ${remotePort}`;

type OpenConnections = ReadonlyMap<string, ClientConnection>;

function eachSession(open: OpenConnections, run: (session: ServerHttp2Session) => void): void {
  for (const { session } of open.values()) if (session !== undefined) run(session);
}

/**
 * Detects clients whose machine or network is gone, which would hold their watches for hours: TCP only
 * notices when data is sent.
 */
function ping(session: ServerHttp2Session, pingTimeoutMs: number): void {
  // The session may be closing without an event yet.
  if (session.destroyed) return;
  let responded = false;
  const lost = () => {
    if (!responded) session.destroy();
  };
  // After a suspension of this process, the response has already arrived and must be read first.
  const timer = setTimeout(() => setImmediate(lost), pingTimeoutMs).unref();
  session.ping(() => {
    responded = true;
    clearTimeout(timer);
  });
}

/** The interval in which a stopping server checks for idle connections. */
const sweepMs = 10;

function close(server: Http2SecureServer, open: OpenConnections, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => {
      for (const { socket } of open.values()) socket.destroy();
    }, graceMs);
    // Idle HTTP/1.1 connections would keep the server open until their clients disconnect, including those
    // that become idle later.
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
