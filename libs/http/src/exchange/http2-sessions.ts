import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2';
import type { Socket } from 'node:net';
import { type checkServerIdentity, connect as connectTls, type SecureContext } from 'node:tls';
import type { Dial } from '@annex/runtime';
import { dialedStream } from './dialed-stream.ts';
import { type Endpoint, hostPort } from './endpoint.ts';
import { maxHeadBytes, maxHeadLines } from './limits.ts';

/** The TLS settings of a backend, and the front proxy's client certificate. */
export interface TransportTls {
  secureContext: SecureContext;
  servername?: string;
  rejectUnauthorized: boolean;
  checkServerIdentity: typeof checkServerIdentity;
}

// As for HTTP/1.1: much shorter than the idle timeout of backends.
const idleMs = 30_000;

/** Backends must not push. The runtime resets a stream whose response head exceeds the limits. */
const limits = {
  maxHeaderListPairs: maxHeadLines,
  settings: { enablePush: false, maxHeaderListSize: maxHeadBytes },
} as const;

/** The HTTP/2 connections to one backend, one for each of its addresses. */
export class Http2Sessions {
  readonly #tls: TransportTls;
  readonly #dial: Dial | undefined;
  readonly #sessions = new Map<string, ClientHttp2Session>();

  /** Without `dial`, connections are direct. */
  constructor(tls: TransportTls, dial?: Dial) {
    this.#tls = tls;
    this.#dial = dial;
  }

  to(endpoint: Endpoint): ClientHttp2Session {
    const at = hostPort(endpoint);
    const known = this.#sessions.get(at);
    if (known !== undefined) return known;
    const session = connect(`https://${at}`, {
      ...this.#tls,
      ...limits,
      ...this.#dialed(endpoint),
    });
    const forget = () => {
      if (this.#sessions.get(at) === session) this.#sessions.delete(at);
    };
    // Its requests receive the error.
    session.on('error', forget).once('close', forget).once('goaway', forget);
    session.setTimeout(idleMs, () => {
      forget();
      session.close();
    });
    this.#sessions.set(at, session);
    return session;
  }

  /** The connection through a proxy. */
  #dialed(endpoint: Endpoint): Pick<SecureClientSessionOptions, 'createConnection'> {
    const dial = this.#dial;
    if (dial === undefined) return {};
    const tls = { ...this.#tls, host: endpoint.host, ALPNProtocols: ['h2'] };
    return { createConnection: () => connectTls({ ...tls, socket: dialedStream(dial(endpoint)) as Socket }) };
  }

  /** Closes each connection when its last request ends. */
  retire(): void {
    for (const session of this.#sessions.values()) session.close();
    this.#sessions.clear();
  }

  close(): void {
    for (const session of this.#sessions.values()) session.destroy();
    this.#sessions.clear();
  }
}
