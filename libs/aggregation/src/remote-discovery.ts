import type { Readable } from 'node:stream';
import type { UserInfo } from '@annex/auth';
import { type JsonObject, isObject, parseJson, serviceUnavailable } from '@annex/machinery';
import type { Clock, Logger } from '@annex/runtime';
import { type Endpoint, exchange, fetchWhole, type Outgoing, type Transport } from '@annex/http';
import { defaultIdentityHeaders, identityHeaders } from './forward-headers.ts';
import type { DiscoverySource, GroupDiscovery } from '@annex/kinds';
import { discoveryPath, type DiscoverySummary, openApiPath } from '@annex/server';

/** The user of requests between processes of Annex and to extension API servers. It has all permissions. */
export const aggregatorUser: UserInfo = {
  name: 'system:kube-aggregator',
  groups: ['system:masters'],
  extra: {},
};

/** An app in another process, and its client. */
export interface Peer {
  /** The name of the app in the log and in errors. */
  name: string;
  endpoint: Endpoint;
  transport: Transport;
}

/** Milliseconds in which an app in another process must send an OpenAPI document. */
export const peerDocumentTimeoutMs = 10_000;
/** The maximum bytes of the discovery documents of an app in another process. */
export const maxPeerDocumentBytes = 64 * 1024 * 1024;
const limits = { timeoutMs: peerDocumentTimeoutMs, maxBytes: maxPeerDocumentBytes };
/** Milliseconds without a line after which an app is unreachable; it sends empty lines as heartbeat. */
export const silenceTimeoutMs = 30_000;
/** Milliseconds that a request waits for the first line of the app. */
export const firstResponseTimeoutMs = 5_000;
const retry = { firstMs: 50, mostMs: 2_000 };

/**
 * Follows the discovery documents of an app in another process over a stream. The last documents stay valid
 * while the app is unreachable.
 */
export class RemoteDiscovery implements DiscoverySource {
  readonly name: string;
  readonly #peer: Peer;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #line = '';
  #summary: DiscoverySummary | undefined;
  #hashes = new Map<string, string | undefined>();
  #running: Promise<void> | undefined;

  constructor(peer: Peer, { clock, log }: { clock: Clock; log: Logger }) {
    this.name = peer.name;
    this.#peer = peer;
    this.#clock = clock;
    this.#log = log;
  }

  /** Begins to follow the app. */
  start(): void {
    this.#running ??= this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves after the first line of the app. */
  responded(): Promise<void> {
    return this.#first.promise;
  }

  groups(): GroupDiscovery[] | Promise<GroupDiscovery[]> {
    return this.#summary?.groups ?? this.#wait().then((summary) => summary.groups);
  }

  openapiPaths(): string[] | Promise<string[]> {
    return this.#summary === undefined
      ? this.#wait().then(() => [...this.#hashes.keys()])
      : [...this.#hashes.keys()];
  }

  openapiHash(path: string): string | undefined {
    return this.#hashes.get(path);
  }

  async openapi(path: string): Promise<JsonObject | undefined> {
    const requested = `${openApiPath}?path=${encodeURIComponent(path)}`;
    const response = await fetchWhole(this.#request(requested), limits).catch((error: Error) => {
      throw serviceUnavailable(`${this.name} cannot be reached: ${error.message}`);
    });
    if (response.status === 404) return undefined;
    const document = response.status === 200 ? parseJson(response.body.toString()) : undefined;
    if (!isObject(document))
      throw serviceUnavailable(`${this.name} responded with ${response.status} to ${requested}`);
    return document;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #wait(): Promise<DiscoverySummary> {
    const late = this.#clock.sleep(firstResponseTimeoutMs);
    await Promise.race([this.#first.promise, late]);
    if (this.#summary === undefined) throw serviceUnavailable(`${this.name} has not responded yet`);
    return this.#summary;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    for (let waitMs = retry.firstMs; !signal.aborted; waitMs = Math.min(waitMs * 2, retry.mostMs)) {
      try {
        await this.#read(() => (waitMs = retry.firstMs));
      } catch (error) {
        if (signal.aborted) return;
        this.#log.info('failed to read the discovery documents of an app, retrying', {
          app: this.name,
          error,
        });
      }
      await this.#clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /** Reads one stream to its end. */
  async #read(onResponse: () => void): Promise<void> {
    const silence = new AbortController();
    const giveUp = () => silence.abort(new Error('it sent no heartbeat'));
    let timer = this.#clock.setTimeout(giveUp, silenceTimeoutMs);
    const signal = AbortSignal.any([this.#stop.signal, silence.signal]);
    try {
      const { body, statusCode } = await exchange({ ...this.#request(`${discoveryPath}?watch=1`), signal });
      if (statusCode !== 200) {
        body.discard();
        throw new Error(`it responded with ${statusCode}`);
      }
      for await (const line of lines(body.stream())) {
        timer.cancel();
        timer = this.#clock.setTimeout(giveUp, silenceTimeoutMs);
        if (line === '') continue;
        onResponse();
        this.#take(line);
      }
    } finally {
      timer.cancel();
    }
  }

  #take(line: string): void {
    if (line === this.#line) return;
    const summary = parseJson(line) as unknown as DiscoverySummary;
    this.#line = line;
    this.#summary = summary;
    this.#hashes = new Map(summary.openapi.map(({ path, hash }) => [path, hash]));
    this.#first.resolve();
    for (const listener of this.#listeners) listener();
  }

  #request(path: string): Omit<Outgoing, 'signal' | 'body'> {
    return {
      transport: this.#peer.transport,
      endpoint: this.#peer.endpoint,
      method: 'GET',
      path,
      headers: [
        ...['user-agent', 'annex', 'accept', 'application/json'],
        ...identityHeaders(aggregatorUser, defaultIdentityHeaders),
      ],
    };
  }
}

async function* lines(stream: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString();
      parts = [];
      length = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > limits.maxBytes) throw new Error(`its response is larger than ${limits.maxBytes} bytes`);
  }
}
