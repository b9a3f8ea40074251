import {
  alwaysAllowGroups,
  alwaysAllowPaths,
  type Authorizer,
  delegatedAuthorizer,
  privilegedGroup,
  unionAuthorizer,
} from '@annex/auth';
import { Client, type ClientConfig } from '@annex/client';
import { unsupportedMediaType } from '@annex/machinery';
import {
  createLifecycle,
  createLiveFiles,
  type LiveFiles,
  createMetrics,
  type Logger,
  nullLogger,
  type OperatorError,
  type Part,
  requireSupportedNode,
  systemClock,
} from '@annex/runtime';
import {
  createSecureServer,
  DelegatedIdentities,
  openSniCertificates,
  openTrust,
  type SecureServerConfig,
  serverUrl,
  type TlsConfig,
  type TrustSource,
} from '@annex/process';
import {
  type AdmissionPlugin,
  createResourceApp,
  type Handler,
  measuredStore,
  type ServerDeps,
  versionInfo,
} from '@annex/server';
import { createFeed } from '@annex/storage';
import type { AdmissionConfig } from '@annex/admission';
import { type AuditConfig, openConfiguredAudit } from '@annex/audit';
import { customOpenApi } from '@annex/openapi';
import { type DiscoverySource, KindRegistry, registryDiscovery, resourceDiscovery } from '@annex/kinds';
import type { Resource } from './resource-definition.ts';
import { ExtendedServer } from './host/extended-server.ts';
import { hostAdmission } from './host/host-admission.ts';
import { openStore, type StorageSource } from './open-store.ts';
import { Readiness } from './readiness.ts';
import { AddedResources } from './own-objects.ts';
import { ownDocuments } from './own-documents.ts';
import { groupErrors } from './group-errors.ts';
import type { Definition } from './resource-storage.ts';
import { type ServedResource, serveResources } from './served-resource.ts';
import { type CertificateSource, servingCertificate } from './serving-certificate.ts';

/** Options of an extension API server. */
export interface ExtensionServerOptions {
  /** The API group, for example `wardle.example.com`. */
  group: string;
  /** Its resources, each created by `defineResource`; versions in the order of preference. */
  resources: readonly Resource[];
  /** The API server that authenticates and authorizes users: Annex or a kube-apiserver. */
  apiServer: ClientConfig;
  /** The storage of objects. Default `memory`. */
  storage?: StorageSource;
  /** The serving certificate; its names are those of the Service: `<service>.<namespace>.svc`. */
  certificate: CertificateSource;
  /** The address to listen on. Default 127.0.0.1. */
  bindAddress?: string;
  /** The port to listen on; 0 selects a free one. Default 8443. */
  port?: number;
  /**
   * Admission plugins that run for every write, after those that the API server configures and the `admit` of
   * its resource.
   */
  admission?: readonly AdmissionPlugin[];
  /**
   * Admission plugins to disable: those of `admission` and of every API server, such as
   * `ValidatingAdmissionWebhook`.
   */
  disableAdmissionPlugins?: readonly string[];
  /** An AdmissionConfiguration with the credentials for webhooks. */
  admissionControlConfigFile?: string;
  /**
   * Replaces CAs that the API server publishes. With `requestheader-client-ca-file`, all keys that begin with
   * `requestheader-` are replaced. Default: none.
   */
  trust?: TrustSource;
  /** Milliseconds that an allowing access review is cached. Default 10 s. */
  allowedTtl?: number;
  /** Milliseconds that a denying access review is cached. Default 10 s. */
  refusedTtl?: number;
  /** Milliseconds that a valid token is cached. Default 10 s. */
  tokenTtl?: number;
  /** Milliseconds that the start waits for the API server. Default 60 s. */
  startTimeout?: number;
  /** The maximum milliseconds of a request that is not a watch. Default 60 s. */
  requestTimeout?: number;
  /**
   * Milliseconds for which the server continues to serve requests after the stop signal, while `/readyz`
   * fails. Default 0.
   */
  shutdownDelay?: number;
  /** The maximum number of concurrent requests that are not watches; 0 for no limit. Default 400. */
  maxRequestsInflight?: number;
  /**
   * The maximum number of connections, in total and from one address; 0 for no limit. Default 10,000 and
   * 4,000.
   */
  maxConnections?: number;
  maxConnectionsPerAddress?: number;
  /** The maximum number of concurrent streams of an HTTP/2 connection. Default 1,000. */
  http2MaxStreamsPerConnection?: number;
  /** How TLS is negotiated, and certificates for clients that send other server names. */
  tls?: TlsConfig;
  /** The audit policy and backends. Default: no auditing. */
  audit?: AuditConfig;
  /** Default: no log. */
  log?: Logger;
}

/** A running extension API server. */
export interface ExtensionServer {
  /** `https://address:port`. */
  readonly url: string;
  /** Lets running requests end and stops. Returns the errors of the parts that failed to stop. */
  stop(): Promise<readonly OperatorError[]>;
}

/**
 * Starts an extension API server: its resources with validation, status, tables and watches, discovery and
 * OpenAPI, health and metrics. It authenticates users by the request headers of the API server's proxy, by
 * client certificates and by tokens. It authorizes every request by a SubjectAccessReview to the API server.
 * Resolves when requests are served. Throws an Error if the resources contradict each other, and
 * OperatorError for an error of the environment.
 */
export async function createExtensionServer(options: ExtensionServerOptions): Promise<ExtensionServer> {
  requireSupportedNode();
  const errors = groupErrors(options.group, options.resources as unknown as Definition[]);
  if (errors.length > 0) throw new Error(errors.join('\n'));
  const { log = nullLogger } = options;
  const files = createLiveFiles(log);
  const certificates = await certificatesOf(options, files);
  const trust = await openTrust(options.trust ?? {}, files);
  const client = new Client({ userAgent: `${options.group}/extension-server`, ...options.apiServer });
  const metrics = createMetrics();
  const store = measuredStore(await openStore(options.storage ?? 'memory', log), metrics);
  const feed = createFeed(store, { clock: systemClock, log });
  const deps: ServerDeps = { store, feed, clock: systemClock, log, metrics };
  const identities = new DelegatedIdentities({
    client,
    log,
    tokenTtl: options.tokenTtl ?? 10_000,
    startTimeout: options.startTimeout ?? 60_000,
    trust,
  });
  const host = new ExtendedServer(client, deps);
  const authorizer = authorizerOf(options, client);
  const app = resourceApp(options, deps, await hostAdmission(host, authorizer, admissionOf(options)));
  const audit = options.audit && (await openConfiguredAudit(options.audit, deps));
  const readiness = new Readiness(options.shutdownDelay ?? 0);
  const documents = ownDocuments(app.discovery, () => systemClock.now(), readable(options, app.handle));
  const server = createSecureServer({
    config: serverConfigOf(options),
    deps,
    ...certificates,
    authenticator: identities.authenticator,
    authorizer,
    audit,
    routes: {
      about: {
        checks: readiness.checks(deps, () => host.isLoaded),
        metrics,
        version: versionInfo,
        apiPaths: () => apiPaths(options),
      },
      app: documents,
    },
  });
  let port = 0;
  const parts: Part[] = [
    { name: 'files', stop: () => files.close() },
    { name: 'audit', stop: () => audit?.close() },
    { name: 'store', stop: () => store.close() },
    { name: 'client', stop: () => client.close() },
    { name: 'feed', start: () => feed.start(), stop: () => feed.close() },
    identities,
    host,
    { name: 'listener', start: async () => void (port = await server.listen()), stop: () => server.close() },
    // Ends the watches before the listener waits for them.
    { name: 'resources', start: () => app.start(), stop: () => app.stop() },
    readiness,
  ];
  const lifecycle = createLifecycle(parts, { deadline: stopTimeoutOf(options) });
  await lifecycle.start();
  return { url: serverUrl(addressOf(options), port), stop: () => lifecycle.stop() };
}

const addressOf = ({ bindAddress = '127.0.0.1' }: ExtensionServerOptions): string => bindAddress;

const certificatesOf = async ({ certificate, tls }: ExtensionServerOptions, files: LiveFiles) => ({
  certificate: await servingCertificate(certificate, files),
  certificateByName: await openSniCertificates(tls?.tlsSniCertKey ?? [], files),
});

const serverConfigOf = (options: ExtensionServerOptions): SecureServerConfig => ({
  ...options.tls,
  bindAddress: addressOf(options),
  port: options.port ?? 8443,
  requestTimeout: requestTimeoutOf(options),
  maxRequestsInflight: options.maxRequestsInflight ?? 400,
  maxConnections: options.maxConnections,
  maxConnectionsPerAddress: options.maxConnectionsPerAddress,
  http2MaxStreamsPerConnection: options.http2MaxStreamsPerConnection,
  shutdownTimeout: requestTimeoutOf(options),
});

const requestTimeoutOf = ({ requestTimeout = 60_000 }: ExtensionServerOptions): number => requestTimeout;

/** Milliseconds in which each part of the server must stop: the listener waits for running requests. */
const stopTimeoutOf = (options: ExtensionServerOptions): number =>
  (options.shutdownDelay ?? 0) + requestTimeoutOf(options) + 5_000;

const apiPaths = ({ group, resources }: ExtensionServerOptions): string[] => [
  '/apis',
  `/apis/${group}`,
  ...resources.map(({ version }) => `/apis/${group}/${version}`),
  '/openapi/v2',
  '/openapi/v3',
];

/**
 * Refuses protobuf bodies: for typed kinds with Go's error for a type without messages, for other kinds as an
 * unsupported media type.
 */
const readable = ({ resources }: ExtensionServerOptions, api: Handler): Handler =>
  resources.every(({ typed }) => typed) ? api : withoutProtobuf(api);

/** Kinds of an extension API server have no protobuf messages. DeleteOptions are a kind of every server. */
const withoutProtobuf =
  (api: Handler): Handler =>
  (request) => {
    const { headers, method } = request.req;
    const isWrite = method === 'POST' || method === 'PUT';
    if (isWrite && headers['content-type']?.startsWith('application/vnd.kubernetes.protobuf')) {
      throw unsupportedMediaType('objects are accepted as application/json and application/yaml');
    }
    return api(request);
  };

const admissionOf = ({
  disableAdmissionPlugins = [],
  admissionControlConfigFile,
}: ExtensionServerOptions): AdmissionConfig => ({
  enableAdmissionPlugins: [],
  disableAdmissionPlugins,
  admissionControlConfigFile,
});

function resourceApp(
  options: ExtensionServerOptions,
  deps: ServerDeps,
  hostAdmission: readonly AdmissionPlugin[],
) {
  const { group, resources, admission = [], disableAdmissionPlugins: disabled = [] } = options;
  const served = serveResources(group, resources, new AddedResources(deps));
  const kinds = new KindRegistry();
  for (const { kind } of served) kinds.add(kind);
  return createResourceApp({
    name: group,
    deps,
    kinds,
    discovery: discoveryOf(group, kinds, served),
    admission: [
      ...hostAdmission,
      ...served.flatMap(({ admission: own }) => own),
      ...admission.filter(({ name }) => !disabled.includes(name)),
    ],
  });
}

function discoveryOf(group: string, kinds: KindRegistry, served: readonly ServedResource[]): DiscoverySource {
  const versions = [...new Set(served.map(({ kind }) => kind.version))];
  const pathOf = (version: string): string => `apis/${group}/${version}`;
  return registryDiscovery(kinds, {
    paths: () => versions.map(pathOf),
    document(path) {
      const version = versions.find((candidate) => pathOf(candidate) === path);
      if (version === undefined) return undefined;
      const own = served.filter(({ kind }) => kind.version === version);
      return customOpenApi({
        group,
        version,
        resources: own.map(({ kind }) => resourceDiscovery(kind)),
        published: own.map(({ published }) => published),
      });
    },
  });
}

/**
 * As in kube-apiserver's library: probes need no permissions, administrators have all, the API server decides
 * everything else.
 */
const authorizerOf = (options: ExtensionServerOptions, client: Client): Authorizer =>
  unionAuthorizer([
    alwaysAllowPaths('/healthz', '/livez', '/readyz'),
    alwaysAllowGroups(privilegedGroup),
    delegatedAuthorizer({
      client,
      ...(options.allowedTtl === undefined ? {} : { allowedForMs: options.allowedTtl }),
      ...(options.refusedTtl === undefined ? {} : { refusedForMs: options.refusedTtl }),
    }),
  ]);
