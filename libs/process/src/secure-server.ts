import type { Authenticator, Authorizer } from '@annex/auth';
import {
  type ConnectionLimits,
  defaultConnectionLimits,
  listenError,
  type LiveKeyPair,
} from '@annex/runtime';
import {
  createApiListener,
  createAuditor,
  requestSteps,
  type RouteTargets,
  routeTable,
  type ServerDeps,
  serveTracesToThreads,
  TraceLog,
  type TracePathsOptions,
  type TracesOfThreads,
} from '@annex/server';
import type { OpenAudit } from '@annex/audit';
import type { FlowControl } from '@annex/flow-control';
import { allowedOrigins, type CorsConfig } from './cors-options.ts';
import { type RequestHeaderConfig, identityHeaderNames } from './request-header-options.ts';
import type { CertificateByName } from './sni-certificates.ts';
import { negotiationOf, type TlsConfig } from './tls-options.ts';

/** The options of a secure server. */
export interface SecureServerConfig
  extends Partial<RequestHeaderConfig>, Partial<TlsConfig>, Partial<CorsConfig> {
  bindAddress: string;
  port: number;
  requestTimeout: number;
  maxRequestsInflight: number;
  /** Default: that of reading requests. */
  maxMutatingRequestsInflight?: number;
  /** The maximum number of connections. Default: that of every listener. */
  maxConnections?: number | undefined;
  maxConnectionsPerAddress?: number | undefined;
  /** The maximum number of concurrent streams of an HTTP/2 connection. */
  http2MaxStreamsPerConnection?: number | undefined;
  /** The number of requests whose traces are kept; none if absent. */
  rememberedTraces?: number;
  /** Milliseconds in which running requests can end when the server stops. Default 2 s. */
  shutdownTimeout?: number;
  /** Milliseconds between the end of readiness and that of the listener; with them, running requests have their whole timeout. */
  shutdownDelayDuration?: number;
}

/** Dependencies of a secure server. */
export interface SecureServerOptions {
  config: SecureServerConfig;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  certificate: LiveKeyPair;
  /** Other certificates, by the server name that a client sends. */
  certificateByName?: CertificateByName | undefined;
  authenticator: Authenticator;
  authorizer: Authorizer;
  audit?: OpenAudit | undefined;
  flowControl?: FlowControl | undefined;
  routes: ServerRoutes;
  /** The threads that serve the same port, and their traces. */
  group?: ServingGroup | undefined;
}

/** What a server has in common with those of the other threads. */
export interface ServingGroup {
  /** 0 for the thread that binds the port first. */
  index: number;
  ticketKeys: Buffer;
  traces: TracesOfThreads;
}

/** The handlers of the route table. The server itself serves its traces. */
export interface ServerRoutes extends Omit<RouteTargets, 'traces' | 'flowControl'> {
  /** Requests the traces of the other processes. */
  tracesOfOtherProcesses?: TracePathsOptions['elsewhere'];
}

/** The listener with the request path and the route table. */
export interface SecureServer {
  /** Resolves to the port. Throws OperatorError PORT_IN_USE and ADDRESS_UNAVAILABLE. */
  listen(): Promise<number>;
  /** Asks the clients of HTTP/1.1 connections to open others. */
  drain(): void;
  close(): Promise<void>;
}

/** Creates the secure server of a process. */
export function createSecureServer(options: SecureServerOptions): SecureServer {
  const { audit, config, deps, certificate, authenticator, authorizer } = options;
  const { tracesOfOtherProcesses: elsewhere, ...targets } = options.routes;
  const traces = new TraceLog(config.rememberedTraces ?? 0);
  const { group } = options;
  const tracePaths = { traces, authorizer, threads: group?.traces, ...(elsewhere ? { elsewhere } : {}) };
  serveTracesToThreads(tracePaths);
  const routes = routeTable({
    ...targets,
    traces: tracePaths,
    flowControl: options.flowControl && { flows: options.flowControl, clock: deps.clock },
  });
  const steps = requestSteps({
    ...deps,
    authenticator,
    authorizer,
    auditor: audit && createAuditor({ ...audit, clock: deps.clock }),
    traces,
    identityHeaders: identityHeaderNames(config),
    allowsOrigin: allowedOrigins(config),
    requestTimeoutMs: config.requestTimeout,
    maxInFlight: {
      reads: config.maxRequestsInflight,
      changes: config.maxMutatingRequestsInflight ?? config.maxRequestsInflight,
    },
    flowControl: options.flowControl,
    routes,
  });
  const listener = createApiListener({
    bindAddress: config.bindAddress,
    port: config.port,
    certificate: certificate.current().cert,
    key: certificate.current().key,
    certificateByName: options.certificateByName,
    negotiation: negotiationOf(config),
    sharedPort: group && { isFirst: group.index === 0, ticketKeys: group.ticketKeys },
    clock: deps.clock,
    steps,
    upgrades: true,
    connectionLimits: connectionLimitsOf(config),
    maxStreamsPerConnection: config.http2MaxStreamsPerConnection,
    log: deps.log,
  });
  certificate.onChange(() => listener.renew(certificate.current()));
  return {
    listen: () =>
      listener
        .start()
        .catch((error: NodeJS.ErrnoException) =>
          Promise.reject(listenError(error, config.bindAddress, config.port)),
        ),
    drain: () => listener.drain(),
    close: () => listener.stop(graceOf(config)),
  };
}

/** With a delay, the server is one of several, and no request may fail because it stops. */
const graceOf = ({
  requestTimeout,
  shutdownDelayDuration = 0,
  shutdownTimeout = 2_000,
}: SecureServerConfig): number => (shutdownDelayDuration > 0 ? requestTimeout : shutdownTimeout);

const connectionLimitsOf = (config: SecureServerConfig): ConnectionLimits => ({
  maxConnections: config.maxConnections ?? defaultConnectionLimits.maxConnections,
  maxConnectionsPerAddress:
    config.maxConnectionsPerAddress ?? defaultConnectionLimits.maxConnectionsPerAddress,
});

/** The URL of a listener. */
export const serverUrl = (address: string, port: number): string =>
  `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
