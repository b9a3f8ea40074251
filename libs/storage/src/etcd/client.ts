import { getOwn } from '@annex/machinery';
import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext, type PeerCertificate } from 'node:tls';
import * as grpc from '@grpc/grpc-js';
import { type Dial, hostOf, trustedCertificates } from '@annex/runtime';
import { StoreError } from '../store.ts';
import { CallFailure } from './failures.ts';
import type { Message, MessageDraft } from './messages.ts';
import { Relay } from './relay.ts';
import { type RequestOf, type TestResponse, serviceDefinition, type serviceTable } from './services.ts';

/** The connection settings of an etcd cluster. */
export interface EtcdClientOptions {
  /** URLs like `https://etcd-0:2379`, tried in order. */
  servers: readonly string[];
  /** PEM of the CAs of the servers' certificates; default: the system's. */
  ca?: string | Uint8Array;
  /** PEM of the client certificate and its key. */
  cert?: string | Uint8Array;
  key?: string | Uint8Array;
  /** Opens the connections; default: direct ones. */
  dial?: Dial | undefined;
  /** The timeout of one call. Default 10 s. */
  timeoutMilliseconds?: number;
}

type Services = typeof serviceTable;
type Unary = 'KV' | 'Lease' | 'Maintenance' | 'Cluster';

/** A duplex stream of watch messages. */
export type WatchStream = grpc.ClientDuplexStream<MessageDraft<'WatchRequest'>, Message<'WatchResponse'>>;

/**
 * Bytes of the response to one call. The gRPC library copies a response in one call, which takes 11 ms for so many. kube-apiserver accepts 2 GiB.
 */
export const maxEtcdMessageBytes = 16 * 1024 * 1024;

/** Bytes of one message of a watch. etcd divides its messages, kine does not. kube-apiserver accepts 2 GiB. */
export const maxEtcdWatchMessageBytes = 1024 * 1024 * 1024;

const channelOptions: grpc.ChannelOptions = {
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2000,
  'grpc.max_send_message_length': -1,
};

const definitions = {
  KV: serviceDefinition('KV'),
  Lease: serviceDefinition('Lease'),
  Maintenance: serviceDefinition('Maintenance'),
  Cluster: serviceDefinition('Cluster'),
};
const watchDefinition = serviceDefinition('Watch').Watch!;

/** Calls an etcd cluster through the server that responded last. */
export class EtcdClient {
  readonly #clients: grpc.Client[];
  /** The same servers, with another limit and connections of their own. */
  readonly #watchClients: grpc.Client[];
  readonly #relays: Relay[] = [];
  readonly #timeout: number;
  /** How long a call waits for one server if it can be repeated on another one. */
  readonly #attemptMs: number;
  #current = 0;
  #closed = false;

  constructor(options: EtcdClientOptions) {
    if (options.servers.length === 0) throw new Error('no etcd server is configured');
    const places = options.servers.map((server) => ({ server, address: this.#relayed(server, options) }));
    const connectAll = (maxBytes: number) =>
      places.map(({ server, address }) => connect(server, options, address, maxBytes));
    this.#clients = connectAll(maxEtcdMessageBytes);
    this.#watchClients = connectAll(maxEtcdWatchMessageBytes);
    this.#timeout = options.timeoutMilliseconds ?? 10_000;
    this.#attemptMs = options.servers.length === 1 ? this.#timeout : this.#timeout / 3;
  }

  /**
   * Calls a method. Requests that never reached a server are retried on the other servers; so are requests
   * that `repeatable` marks as idempotent. Throws StoreError.
   */
  async call<S extends Unary, M extends keyof Services[S] & string>(
    service: S,
    method: M,
    request: MessageDraft<RequestOf<S, M>>,
    repeatable: boolean,
  ): Promise<Message<TestResponse<S, M>>> {
    const deadline = performance.now() + this.#timeout;
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) throw new StoreError('unavailable', 'the store is closed');
      const server = this.#current;
      try {
        const until = repeatable ? Math.min(deadline, performance.now() + this.#attemptMs) : deadline;
        return (await this.#once(server, service, method, request, until)) as Message<TestResponse<S, M>>;
      } catch (error) {
        const failure = error as grpc.ServiceError;
        const isLost = lost.has(failure.code);
        // Later calls go to another server, too.
        if (isLost && this.#current === server) this.#current = (server + 1) % this.#clients.length;
        const isLate = performance.now() + retryPause >= deadline;
        const again = isLost && (repeatable || neverSent(failure)) && !isLate && !this.#closed;
        if (!again) throw this.#explained(failure, isLost && isLate && !this.#closed);
        // All servers were tried once: none is reachable at the moment.
        if (attempt % this.#clients.length === 0)
          await new Promise((resolve) => setTimeout(resolve, retryPause));
      }
    }
  }

  /** Opens a watch stream, which fails when its server loses its leader. */
  watch(): WatchStream {
    if (this.#closed) throw new StoreError('unavailable', 'the store is closed');
    const metadata = new grpc.Metadata();
    metadata.set('hasleader', 'true');
    const server = this.#current;
    const stream = this.#watchClients[server]!.makeBidiStreamRequest(
      watchDefinition.path,
      watchDefinition.requestSerialize as (message: MessageDraft<'WatchRequest'>) => Buffer,
      watchDefinition.responseDeserialize as (bytes: Buffer) => Message<'WatchResponse'>,
      metadata,
    );
    stream.on('error', () => {
      if (this.#current === server) this.#current = (server + 1) % this.#clients.length;
    });
    return stream;
  }

  close(): void {
    this.#closed = true;
    for (const client of [...this.#clients, ...this.#watchClients]) client.close();
    for (const relay of this.#relays) relay.close();
  }

  /** Returns the error of a call: the gRPC library does not see why a relay did not connect. */
  #explained(failure: grpc.ServiceError, isLate = false): StoreError {
    const why = neverSent(failure) && this.#relays.find((relay) => relay.failure)?.failure;
    const error = why ? new StoreError('unavailable', why.message) : storeErrorOf(failure);
    return isLate ? new StoreError('timedOut', error.message) : error;
  }

  /** Returns the address of a server as the gRPC library reaches it. */
  #relayed(server: string, { dial }: EtcdClientOptions): string {
    const url = new URL(server);
    if (dial === undefined) return `${url.hostname}:${url.port || 2379}`;
    const relay = new Relay(dial, { host: hostOf(url), port: Number(url.port || 2379) });
    this.#relays.push(relay);
    return `unix:${relay.path}`;
  }

  #once(server: number, service: Unary, method: string, request: object, deadline: number): Promise<unknown> {
    const { path, requestSerialize, responseDeserialize } = getOwn(definitions[service], method)!;
    return new Promise((resolve, reject) => {
      let isLate = false;
      // The deadlines of the gRPC library are times of the wall clock, which can be set.
      const timer = setTimeout(() => {
        isLate = true;
        call.cancel();
      }, deadline - performance.now());
      const call = this.#clients[server]!.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        (error, response) => {
          clearTimeout(timer);
          if (error === null) resolve(response);
          else reject(isLate ? new CallFailure(grpc.status.DEADLINE_EXCEEDED, timedOut) : error);
        },
      );
    });
  }
}

const retryPause = 100;
/** The text of Go's clients. */
const timedOut = 'context deadline exceeded';
/** The server was unreachable, disconnected during the call, or did not respond in time. */
const lost = new Set([grpc.status.UNAVAILABLE, grpc.status.CANCELLED, grpc.status.DEADLINE_EXCEEDED]);

function connect(server: string, options: EtcdClientOptions, address: string, maxBytes: number): grpc.Client {
  const url = new URL(server);
  const ofChannel = { ...channelOptions, 'grpc.max_receive_message_length': maxBytes };
  if (url.protocol === 'http:') {
    return new grpc.Client(address, grpc.credentials.createInsecure(), ofChannel);
  }
  const { verify, target = options.dial && { 'grpc.ssl_target_name_override': hostOf(url) } } = identityOf(
    hostOf(url),
  );
  const pem = (text: string | Uint8Array) => Buffer.from(text);
  const secureContext = createSecureContext({
    ...trustedCertificates(options.ca === undefined ? undefined : pem(options.ca)),
    ...(options.cert === undefined ? {} : { cert: pem(options.cert) }),
    ...(options.key === undefined ? {} : { key: pem(options.key) }),
  });
  const credentials = grpc.credentials.createFromSecureContext(secureContext, verify);
  return new grpc.Client(address, credentials, { ...ofChannel, ...target });
}

/** RFC 6066 forbids an IP address as the server name in TLS, but the certificate must be valid for it. */
function identityOf(host: string): { verify?: grpc.VerifyOptions; target?: grpc.ChannelOptions } {
  if (isIP(host) === 0) return {};
  return {
    verify: {
      checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate as PeerCertificate),
    },
    target: { 'grpc.ssl_target_name_override': 'etcd' },
  };
}

/** There was no connection, so the server cannot have executed the call. */
function neverSent(error: grpc.ServiceError): boolean {
  return /^(No connection established|Name resolution failed)/.test(error.details);
}

const errorTable: readonly [code: grpc.status, details: RegExp, to: StoreError['code']][] = [
  [grpc.status.OUT_OF_RANGE, /compacted/, 'compacted'],
  [grpc.status.OUT_OF_RANGE, /future revision/, 'future'],
  [grpc.status.RESOURCE_EXHAUSTED, /space exceeded/, 'noSpace'],
  [grpc.status.INVALID_ARGUMENT, /too large/, 'tooLarge'],
  [grpc.status.RESOURCE_EXHAUSTED, /larger than max/, 'tooLarge'],
];

/** Converts the error of a failed call to a StoreError. */
export function storeErrorOf(error: grpc.ServiceError): StoreError {
  if (error instanceof StoreError) return error;
  const known = errorTable.find(([code, details]) => error.code === code && details.test(error.details));
  return new StoreError(known?.[2] ?? 'unavailable', connectionError(error.details || error.message));
}

/** Returns the cause of the gRPC library's message about a connection that failed. */
const connectionError = (message: string): string =>
  /^No connection established\. Last error: (?:Error: )?(.*?)\.? Resolution note: $/s.exec(message)?.[1] ??
  message;
