import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClientMessage, Endpoint, Outgoing, RetirableConnections } from './connections.ts';
import { Http2Message } from './http2-message.ts';
import type { OpenConnection } from './proxy/proxy-agents.ts';

/** Flow-control windows in bytes: of one unread response, and of all of them. */
const streamWindow = 1024 * 1024;
const sessionWindow = 16 * 1024 * 1024;

// Source: client-go. A connection without a ping response counts as dead.
const pingIntervalMs = 30_000;
export const pingTimeoutMs = 15_000;

/** How often a request is sent again that a server refused before it processed anything of it, as by client-go. */
export const maxRefusals = 6;

/** The stream limit of a server that does not announce one. */
const defaultStreams = 100;

/**
 * HTTP/2 connections to one server: one for all requests, and further ones if its stream limit is reached.
 */
export class Http2Connections implements RetirableConnections {
  readonly #endpoint: Endpoint;
  readonly #dial: OpenConnection | undefined;
  readonly #sessions = new Map<ClientHttp2Session, number>();
  /** The session that is being opened through a proxy. */
  #dialing: Promise<ClientHttp2Session> | undefined;
  #closed = false;
  #retired = false;

  /** Without `dial`, connections are direct. */
  constructor(endpoint: Endpoint, dial?: OpenConnection) {
    this.#endpoint = endpoint;
    this.#dial = dial;
  }

  async open(outgoing: Outgoing): Promise<ClientMessage> {
    const { signal } = outgoing;
    if (signal?.aborted) throw signal.reason as Error;
    for (let refusals = 0; ; refusals++) {
      const session = this.#free() ?? (this.#dial ? await this.#proxied(this.#dial) : this.#connect());
      const stream = this.#request(session, outgoing);
      try {
        return await messageOf(stream);
      } catch (error) {
        if (!isRefused(stream) || refusals === maxRefusals || this.#closed || signal?.aborted) throw error;
        // The server is about to end the connection (RFC 9113, section 8.7).
        this.#sessions.delete(session);
        session.close();
      }
    }
  }

  #request(
    session: ClientHttp2Session,
    { method, path, headers, body, signal }: Outgoing,
  ): ClientHttp2Stream {
    this.#count(session, 1);
    const stream = session.request(
      { ...headers, ':method': method, ':path': path },
      { endStream: body === undefined, ...(signal ? { signal } : {}) },
    );
    stream.once('close', () => this.#count(session, -1));
    if (body !== undefined) stream.end(body);
    return stream;
  }

  retire(): void {
    this.#retired = true;
    for (const session of this.#sessions.keys()) session.close();
  }

  isUnused(): boolean {
    return this.#sessions.size === 0 && this.#dialing === undefined;
  }

  close(): void {
    this.#closed = true;
    for (const session of this.#sessions.keys()) session.destroy();
  }

  #free(): ClientHttp2Session | undefined {
    for (const [session, streams] of this.#sessions) {
      // Before the settings of the server arrive, streams are queued.
      const maxStreams = session.remoteSettings?.maxConcurrentStreams ?? defaultStreams;
      if (!session.closed && !session.destroyed && streams < maxStreams) return session;
    }
    return undefined;
  }

  #count(session: ClientHttp2Session, by: number): void {
    const streams = this.#sessions.get(session);
    if (streams !== undefined) this.#sessions.set(session, streams + by);
  }

  /** Opens a session through a proxy. Requests that wait for one share it. */
  #proxied(dial: OpenConnection): Promise<ClientHttp2Session> {
    this.#dialing ??= dial()
      .then((socket) => {
        if (!this.#closed) return this.#connect(socket);
        socket.destroy();
        throw new Error('the client is closed');
      })
      .finally(() => (this.#dialing = undefined));
    return this.#dialing;
  }

  #connect(proxied?: Duplex): ClientHttp2Session {
    const { url, ...tls } = this.#endpoint;
    const session = connect(url.origin, {
      ...tls,
      ...(proxied ? { socket: proxied as Socket } : {}),
      maxSessionMemory: 64,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    this.#sessions.set(session, 0);
    // The requests that wait for this session come first.
    if (this.#retired) setImmediate(() => session.close());
    // The event comes one tick late: the client may have been closed, and the session destroyed.
    session.once('connect', () => session.destroyed || session.setLocalWindowSize(sessionWindow));
    const pings = setInterval(() => ping(session), pingIntervalMs).unref();
    // A failed session fails its streams too, which report the error.
    session.on('error', () => undefined);
    session.once('goaway', () => this.#sessions.delete(session));
    session.once('close', () => {
      clearInterval(pings);
      this.#sessions.delete(session);
    });
    return session;
  }
}

function ping(session: ClientHttp2Session): void {
  if (session.destroyed) return;
  const late = setTimeout(
    () => session.destroy(new Error('the server does not respond to pings')),
    pingTimeoutMs,
  ).unref();
  session.ping(() => clearTimeout(late));
}

const isRefused = ({ rstCode }: ClientHttp2Stream): boolean => rstCode === constants.NGHTTP2_REFUSED_STREAM;

function messageOf(stream: ClientHttp2Stream): Promise<ClientMessage> {
  return new Promise((resolve, reject) => {
    stream.once('response', (headers) => resolve(new Http2Message(stream, headers)));
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the connection ended before a response')));
  });
}
