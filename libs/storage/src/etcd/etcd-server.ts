import { setOwn } from '@annex/machinery';
import type { Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import {
  ConnectionLimiter,
  type ConnectionLimits,
  createTurns,
  defaultConnectionLimits,
  hostOf,
} from '@annex/runtime';
import type { Store } from '../store.ts';
import { encodeInSlices } from './encode-in-slices.ts';
import { etcdVersion } from './etcd-version.ts';
import { failureOf, tooManyRequests } from './failures.ts';
import { keyBytes } from './keys.ts';
import { LeaseTable } from './lease-table.ts';
import {
  keepaliveMilliseconds,
  keepaliveTimeoutMilliseconds,
  maxPendingRequests,
  maxEtcdRequestBytes,
  maxStreamsPerConnection,
  maxUnreadResponseBytes,
} from './limits.ts';
import type { Message, MessageDraft } from './messages.ts';
import { LimitedListener } from './limited-listener.ts';
import { separateHttp1 } from './separate-http1.ts';
import { range } from './range-service.ts';
import {
  type RequestOf,
  type TestResponse,
  serviceDefinition,
  type ServiceName,
  type serviceTable,
} from './services.ts';
import { TxnService } from './txn-service.ts';
import { UnreadBytes } from './unread-bytes.ts';
import { type WatchCall, WatchSession } from './watch-service.ts';

/** The options of an etcd server. */
export interface EtcdServerOptions {
  /** URLs to listen on, like `https://0.0.0.0:2379`; port 0 selects a free one. */
  listen: readonly string[];
  /** URLs advertised to clients. Default: those listened on. */
  advertise?: readonly string[];
  /** PEM of the certificate and its key, for https. */
  cert?: string | Uint8Array;
  key?: string | Uint8Array;
  /** PEM of the CAs of client certificates. With it, every client must present a certificate. */
  clientCa?: string | Uint8Array;
  /** Serves connections of HTTP/1.1 to http URLs, such as health checks. Without it, they are closed. */
  http1?: (socket: Socket) => void;
  /** The size of the data in bytes, for status. */
  size?: () => number;
  /** Limits of connections. Default: those of every listener. */
  connectionLimits?: ConnectionLimits;
  /** How often an idle watch with progress_notify receives progress. Default 10 minutes, as in etcd. */
  notifyMilliseconds?: number;
  /** Lists are refused while this many bytes wait for slow clients. Default 1 GiB. */
  maxUnreadResponseBytes?: number;
}

type Services = typeof serviceTable;
type Handlers<S extends ServiceName> = {
  [M in keyof Services[S]]: (
    request: Message<RequestOf<S, M>>,
  ) => Promise<MessageDraft<TestResponse<S, M>> | Buffer>;
};

const identity = { clusterId: 1, memberId: 1, raftTerm: 1 };
const name = 'object-storage';

/** Serves the subset of the etcd v3 protocol that kube-apiserver uses, from any store. */
export class EtcdServer {
  readonly #store: Store;
  readonly #options: EtcdServerOptions;
  readonly #server: grpc.Server;
  readonly #limiter: ConnectionLimiter;
  readonly #listeners: LimitedListener[] = [];
  readonly #unread: UnreadBytes;
  /** Begins requests in time slices: hundreds of them can arrive in one turn. */
  readonly #inTurn = createTurns();
  /** Requests in progress. */
  #pending = 0;
  /** The served URLs with their ports; filled by `start`. */
  readonly urls: string[] = [];

  constructor(store: Store, options: EtcdServerOptions) {
    this.#store = store;
    this.#options = options;
    this.#limiter = new ConnectionLimiter(options.connectionLimits ?? defaultConnectionLimits);
    this.#unread = new UnreadBytes(options.maxUnreadResponseBytes ?? maxUnreadResponseBytes);
    this.#server = new grpc.Server({
      interceptors: [this.#unread.interceptor],
      'grpc.max_receive_message_length': maxEtcdRequestBytes,
      'grpc.max_concurrent_streams': maxStreamsPerConnection,
      'grpc.keepalive_time_ms': keepaliveMilliseconds,
      'grpc.keepalive_timeout_ms': keepaliveTimeoutMilliseconds,
      'grpc.max_send_message_length': -1,
    });
    this.#addServices();
  }

  async start(): Promise<void> {
    for (const listen of this.#options.listen) {
      const url = new URL(listen);
      const port = await this.#bind(url);
      this.urls.push(`${url.protocol}//${url.hostname}:${port}`);
    }
  }

  /** Ends all calls and stops listening. */
  async stop(): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    this.#server.forceShutdown();
  }

  #bind(url: URL): Promise<number> {
    const credentials = url.protocol === 'https:' ? this.#secure() : grpc.ServerCredentials.createInsecure();
    const injector = this.#server.createConnectionInjector(credentials);
    const http2 = (socket: Socket) => injector.injectConnection(socket);
    const { http1 } = this.#options;
    const accept =
      http1 !== undefined && url.protocol === 'http:'
        ? (socket: Socket) => separateHttp1(socket, { http1, http2 })
        : http2;
    const listener = new LimitedListener(this.#limiter, accept);
    this.#listeners.push(listener);
    return listener.listen(hostOf(url), Number(url.port || 2379));
  }

  #called(call: { getPeer(): string }): void {
    const peer = call.getPeer();
    for (const listener of this.#listeners) listener.called(peer);
  }

  #secure(): grpc.ServerCredentials {
    const { cert, key, clientCa } = this.#options;
    if (!cert || !key) throw new Error('https requires a certificate and its key');
    const pair = { cert_chain: Buffer.from(cert), private_key: Buffer.from(key) };
    const roots = clientCa ? Buffer.from(clientCa) : null;
    return grpc.ServerCredentials.createSsl(roots, [pair], clientCa !== undefined);
  }

  #addServices(): void {
    const store = this.#store;
    const leases = new LeaseTable(store);
    const txns = new TxnService(store, leases);
    this.#addUnary('KV', {
      Range: async (request) => {
        this.#unread.check();
        return (await range(store, request, identity)).bytes;
      },
      Put: (request) => txns.put(request),
      DeleteRange: (request) => txns.deleteRange(request),
      Txn: (request) => txns.txn(request),
      Compact: (request) => store.compact(request.revision).then(() => this.#header()),
    });
    this.#addUnary('Lease', {
      LeaseGrant: async ({ ttl, id }) => ({ ...(await this.#header()), ...leases.grant(ttl, id) }),
      LeaseRevoke: ({ id }) => leases.revoke(Number(id)).then(() => this.#header()),
      LeaseTimeToLive: async ({ id, keys: requested }) => {
        const { keys, ...rest } = leases.timeToLive(Number(id));
        const header = { ...identity, ...(await this.#header()).header };
        return encodeInSlices(
          'LeaseTimeToLiveResponse',
          { header, id, ...rest },
          { field: 'keys', items: requested ? keys : [], convert: keyBytes },
        );
      },
    });
    this.#addUnary('Maintenance', {
      Status: () => this.#status(),
      Alarm: () => this.#header(),
    });
    this.#addUnary('Cluster', {
      MemberList: async () => {
        const clientUrls = [...(this.#options.advertise ?? this.urls)];
        return { ...(await this.#header()), members: [{ id: identity.memberId, name, clientUrls }] };
      },
    });
    const { notifyMilliseconds = 600_000 } = this.#options;
    this.#server.addService(serviceDefinition('Watch'), {
      Watch: (call: WatchCall) => {
        this.#called(call);
        new WatchSession(store, call, notifyMilliseconds);
      },
    });
  }

  #addUnary<S extends ServiceName>(service: S, handlers: Handlers<S>): void {
    const implementation: grpc.UntypedServiceImplementation = {};
    for (const [method, handler] of Object.entries(
      handlers as Record<string, (request: object) => Promise<Response>>,
    )) {
      setOwn(implementation, method, ((
        call: grpc.ServerUnaryCall<object, Response>,
        done: grpc.sendUnaryData<Response>,
      ) => {
        this.#called(call);
        if (this.#pending >= maxPendingRequests) return done(tooManyRequests());
        this.#pending++;
        this.#inTurn(() => {
          handler(call.request)
            .finally(() => this.#pending--)
            .then(
              (response) => done(null, withIdentity(response)),
              (error: unknown) => done(failureOf(error)),
            );
        });
      }) as grpc.UntypedHandleCall);
    }
    this.#server.addService(serviceDefinition(service), implementation);
  }

  async #header(): Promise<{ header: { revision: number } }> {
    return { header: { revision: await this.#store.currentRevision() } };
  }

  async #status(): Promise<MessageDraft<'StatusResponse'>> {
    const { header } = await this.#header();
    const dbSize = this.#options.size?.() ?? 0;
    const raft = {
      raftIndex: header.revision,
      raftAppliedIndex: header.revision,
      raftTerm: identity.raftTerm,
    };
    return {
      header,
      version: etcdVersion,
      dbSize,
      dbSizeInUse: dbSize,
      leader: identity.memberId,
      ...raft,
    };
  }
}

type Response = { header?: MessageDraft<'ResponseHeader'> | undefined } | Buffer;

/** Adds the fields of the server to the header, unless the response is encoded already. */
const withIdentity = (response: Response): Response =>
  Buffer.isBuffer(response) ? response : { ...response, header: { ...identity, ...response.header } };
