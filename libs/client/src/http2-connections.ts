import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  connect,
} from 'node:http2';
import type { ClientMessage, Connections, Endpoint, Outgoing } from './connections.ts';

/** How much an unread answer, and all unread answers together, may hold. */
const streamWindow = 1024 * 1024;
const sessionWindow = 16 * 1024 * 1024;

// client-go's own: a connection that answers no ping is taken for dead.
const pingIntervalMs = 30_000;
export const pingTimeoutMs = 15_000;

/** What a server allows that says nothing of its limit. */
const defaultStreams = 100;

/** HTTP/2 connections to one server: one for all requests, and further ones where the server allows no more on it. */
export class Http2Connections implements Connections {
  readonly #endpoint: Endpoint;
  readonly #sessions = new Map<ClientHttp2Session, number>();

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
  }

  open({ method, path, headers, body, signal }: Outgoing): Promise<ClientMessage> {
    if (signal?.aborted) return Promise.reject(signal.reason as Error);
    const session = this.#free() ?? this.#connect();
    this.#count(session, 1);
    const stream = session.request(
      { ...headers, ':method': method, ':path': path },
      { endStream: body === undefined, ...(signal ? { signal } : {}) },
    );
    stream.once('close', () => this.#count(session, -1));
    if (body !== undefined) stream.end(body);
    return messageOf(stream);
  }

  close(): void {
    for (const session of this.#sessions.keys()) session.destroy();
  }

  #free(): ClientHttp2Session | undefined {
    for (const [session, streams] of this.#sessions) {
      // Before the settings of the server are there, streams wait for them by themselves.
      const allowed = session.remoteSettings?.maxConcurrentStreams ?? defaultStreams;
      if (!session.closed && !session.destroyed && streams < allowed) return session;
    }
    return undefined;
  }

  #count(session: ClientHttp2Session, by: number): void {
    const streams = this.#sessions.get(session);
    if (streams !== undefined) this.#sessions.set(session, streams + by);
  }

  #connect(): ClientHttp2Session {
    const { url, ...tls } = this.#endpoint;
    const session = connect(url.origin, {
      ...tls,
      maxSessionMemory: 64,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    this.#sessions.set(session, 0);
    // Told a tick late: whoever closed the client meanwhile destroyed the session.
    session.once('connect', () => session.destroyed || session.setLocalWindowSize(sessionWindow));
    const pings = setInterval(() => ping(session), pingIntervalMs).unref();
    // What fails a session fails its streams too, which tell.
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
    () => session.destroy(new Error('the server answers no ping')),
    pingTimeoutMs,
  ).unref();
  session.ping(() => clearTimeout(late));
}

function messageOf(stream: ClientHttp2Stream): Promise<ClientMessage> {
  return new Promise((resolve, reject) => {
    stream.once('response', ({ ':status': status, ...headers }) => {
      const head = { statusCode: Number(status), headers: headers as IncomingHttpHeaders };
      resolve(Object.assign(stream, head));
    });
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the connection ended before an answer')));
  });
}
