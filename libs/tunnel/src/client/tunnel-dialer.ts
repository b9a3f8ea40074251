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

  /** Connects to a TCP address `host:port`; the agent resolves the host. Rejects with {@link TunnelDialError}. */
  dial(address: string, signal?: AbortSignal): Promise<Duplex> {
    if (this.#isClosed) return Promise.reject(new TunnelDialError('closed', 'the tunnel is closed'));
    if (signal?.aborted) return Promise.reject(new TunnelDialError('canceled', 'dial timeout, context'));
    const session = this.#connected();
    const stream = openStream(session, '/ProxyService/Proxy', announceExtensions(['half-close']));
    const random = randomBytes(8).readBigInt64BE() & 0x7fff_ffff_ffff_ffffn;
    const timeoutMs = this.#options.dialTimeoutMs ?? tunnelDialTimeoutMs;
    const dial = new TunnelDial(stream, {
      address,
      random,
      timeoutMs,
      signal,
      counts: this.#options.counts,
    });
    return dial.result.catch((error: unknown) => {
      // A server responds to every dial: perhaps nobody is left at the other end. The next dial connects again.
      if ((error as TunnelDialError).reason === 'timeout') session.close();
      throw this.#explained(error as TunnelDialError, session);
    });
  }

  /** Ends all connections. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#sessions) session.destroy();
  }

  #connected(): ClientHttp2Session {
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
