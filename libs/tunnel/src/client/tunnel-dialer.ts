import { randomBytes } from 'node:crypto';
import type { ClientHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { announceExtensions } from '../grpc/extensions.ts';
import { openStream } from '../grpc/open-stream.ts';
import { connectSession } from '../grpc/sessions.ts';
import { tunnelDialTimeoutMs } from '../limits.ts';
import { TunnelDialError } from './dial-error.ts';
import type { StreamCounts } from '../program/stream-counts.ts';
import { TunnelDial } from './tunnel-dial.ts';

/** The server of a tunnel, and how it is reached. */
export interface TunnelDialerOptions {
  /** Opens a connection to the server: a Unix socket, or TLS with the protocol `h2`. */
  connect: () => Duplex;
  /** The name of the server in errors, such as the path of its socket. */
  server: string;
  /** Milliseconds for one dial. Default {@link tunnelDialTimeoutMs}. */
  dialTimeoutMs?: number;
  /** Counts the packets of all streams. */
  counts?: StreamCounts;
}

/** One attempt of a dial. */
interface DialOnce {
  address: string;
  signal: AbortSignal | undefined;
  /** The time of `performance.now()` at which nobody waits any more. */
  until: number;
}

/** Opens connections through a tunnel, as the API server does: mode `grpc`. All of them share one connection to the server. */
export class TunnelDialer {
  readonly #options: TunnelDialerOptions;
  #session: ClientHttp2Session | undefined;
  /** The current one, and earlier ones whose streams are open. */
  readonly #sessions = new Set<ClientHttp2Session>();
  /** Sessions whose server responded. */
  readonly #reached = new WeakSet<ClientHttp2Session>();
  #isClosed = false;

  constructor(options: TunnelDialerOptions) {
    this.#options = options;
  }

  /**
   * Connects to a TCP address `host:port`; the agent resolves the host. A dial whose server goes away is sent once more, as it has
   * carried no data. Rejects with {@link TunnelDialError}.
   */
  dial(address: string, signal?: AbortSignal): Promise<Duplex> {
    const until = performance.now() + (this.#options.dialTimeoutMs ?? tunnelDialTimeoutMs);
    const session = this.#connected();
    return this.#dialOn(session, { address, signal, until }).catch((error: unknown) => {
      if (!this.#isLost(error as TunnelDialError, session)) throw error;
      return this.#dialOn(this.#connected(), { address, signal, until });
    });
  }

  /** Ends all connections. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.destroy();
  }

  #dialOn(session: ClientHttp2Session | undefined, { address, signal, until }: DialOnce): Promise<Duplex> {
    if (session === undefined) return Promise.reject(new TunnelDialError('closed', 'the tunnel is closed'));
    if (signal?.aborted) return Promise.reject(new TunnelDialError('canceled', 'dial timeout, context'));
    const stream = openStream(session, '/ProxyService/Proxy', announceExtensions(['half-close']));
    const random = randomBytes(8).readBigInt64BE() & 0x7fff_ffff_ffff_ffffn;
    const { counts } = this.#options;
    const timeoutMs = until - performance.now();
    const dial = new TunnelDial(stream, { address, random, timeoutMs, signal, counts });
    return dial.result.catch((error: unknown) => {
      // A server responds to every dial: perhaps nobody is left at the other end. The next dial connects again.
      if ((error as TunnelDialError).reason === 'timeout') session.close();
      throw this.#explained(error as TunnelDialError, session);
    });
  }

  /** The server was there, and is stopping or gone. */
  #isLost({ reason }: TunnelDialError, session: ClientHttp2Session | undefined): boolean {
    if (reason !== 'closed' || session === undefined || !this.#reached.has(session)) return false;
    return session.closed || session.destroyed;
  }

  /** The connection for the next dial; undefined after the end. */
  #connected(): ClientHttp2Session | undefined {
    if (this.#isClosed) return undefined;
    if (this.#session !== undefined && !this.#session.closed && !this.#session.destroyed)
      return this.#session;
    const session = connectSession(this.#options.connect);
    // Its streams fail with the same error.
    session.on('error', () => undefined);
    session.once('remoteSettings', () => this.#reached.add(session));
    // Streams that are open continue; the next dial connects again.
    session.once('goaway', () => session.close());
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    this.#session = session;
    return session;
  }

  #explained(error: TunnelDialError, session: ClientHttp2Session): TunnelDialError {
    if (error.reason !== 'closed' || this.#reached.has(session)) return error;
    return new TunnelDialError('connect', `cannot reach ${this.#options.server}: ${error.message}`, {
      cause: error,
    });
  }
}
