import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, type SecureClientSessionOptions, type Settings } from 'node:http2';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { finished } from 'node:stream/promises';
import { type ClientConfig, credentialHeaders } from '@annex/client';

/** A complete response. */
export interface Response {
  status: number;
  body: Buffer;
}

/** Servers queue further streams on one connection. */
const streamsPerConnection = 250;

/** The client of the load generator: it reuses connections, sends encoded bodies, and does not decode responses. */
export class Api {
  readonly #agent: Agent;
  readonly #options: RequestOptions;
  readonly #credentials: OutgoingHttpHeaders;

  constructor(config: ClientConfig) {
    const url = new URL(config.server);
    const tls = {
      ca: config.ca,
      cert: config.cert,
      key: config.key,
      servername: config.tlsServerName,
      rejectUnauthorized: config.insecureSkipTlsVerify !== true,
    };
    this.#credentials = credentialHeaders(config);
    this.#agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'lifo', ...tls });
    this.#options = { host: url.hostname, port: url.port, ...tls };
  }

  /** Sends a request; rejects only if there is no response. */
  send(method: string, path: string, body?: string, type = 'application/json'): Promise<Response> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const headers: OutgoingHttpHeaders = { accept: 'application/json', ...this.#credentials };
    if (body !== undefined) {
      headers['content-type'] = type;
      headers['content-length'] = Buffer.byteLength(body);
    }
    const sent = request({ ...this.#options, agent: this.#agent, method, path, headers }, (message) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
        resolve({ status: message.statusCode ?? 0, body: whole });
      });
      message.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  }

  /** Reads a response without keeping it; resolves to its status. */
  async read(path: string): Promise<number> {
    const sent = request({
      ...this.#options,
      agent: this.#agent,
      path,
      headers: { accept: 'application/json', ...this.#credentials },
    }).end();
    const [message] = (await once(sent, 'response')) as [IncomingMessage];
    await finished(message.resume());
    return message.statusCode ?? 0;
  }

  /** Sends a request that must succeed. */
  async must(method: string, path: string, body?: string, type?: string): Promise<Buffer> {
    const response = await this.send(method, path, body, type);
    if (response.status < 200 || response.status > 299) {
      throw new Error(`${method} ${path}: ${response.status} ${response.body.toString().slice(0, 300)}`);
    }
    return response.body;
  }

  /**
   * Opens a watch on a separate connection, and calls back for each event. Resolves to a function that ends the watch when the server has
   * responded.
   */
  watch(path: string, onEvent: () => void): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const sent = request({ ...this.#options, agent: false, path, headers: { accept: 'application/json' } });
    sent.on('error', reject);
    sent.on('response', (message) => {
      if (message.statusCode !== 200) reject(new Error(`watch ${path}: ${message.statusCode}`));
      // Each event is a line.
      message.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) onEvent();
      });
      message.on('error', () => undefined);
      resolve(() => void message.destroy());
    });
    sent.end();
    return promise;
  }

  /** Opens many watches of one path over a few HTTP/2 connections, as informers do, and calls back for each event. */
  async watchMany(path: string, count: number, onEvent: () => void): Promise<() => void> {
    const { host, port, ...tls } = this.#options;
    const sessions: ClientHttp2Session[] = [];
    const opening: Promise<unknown>[] = [];
    for (let left = count; left > 0;) {
      const session = connect(`https://${host}:${port}`, tls as SecureClientSessionOptions);
      sessions.push(session.on('error', () => undefined));
      // Streams above the limit of the server would wait for the end of others.
      const [{ maxConcurrentStreams = Infinity }] = (await once(session, 'remoteSettings')) as [Settings];
      const streams = Math.min(left, streamsPerConnection, maxConcurrentStreams);
      left -= streams;
      for (let i = 0; i < streams; i++) {
        const stream = session.request({ ':path': path, accept: 'application/json' });
        stream.on('data', (chunk: Buffer) => {
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) onEvent();
        });
        stream.on('error', () => undefined);
        opening.push(once(stream, 'response'));
      }
    }
    await Promise.all(opening);
    return () => {
      for (const session of sessions) session.destroy();
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}
