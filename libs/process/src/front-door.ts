import type { Authenticator, Authorizer } from '@annex/auth';
import { serviceUnavailable } from '@annex/machinery';
import { type ConnectionLimits, defaultConnectionLimits, OperatorError } from '@annex/runtime';
import {
  type Backend,
  createApiListener,
  createAuditor,
  requestSteps,
  type ServerDeps,
  TraceLog,
  tracePaths,
  type TracePathsOptions,
} from '@annex/server';
import type { OpenAudit } from '@annex/audit';
import type { LiveKeyPair } from './live-key-pair.ts';
import { type RequestHeaderConfig, identityHeaderNames } from './request-header-options.ts';

/** What the door needs of a configuration. */
export interface FrontDoorConfig extends Partial<RequestHeaderConfig> {
  bindAddress: string;
  port: number;
  requestTimeout: number;
  maxRequestsInflight: number;
  /** How many connections are kept. Default: those of every listener. */
  maxConnections?: number | undefined;
  maxConnectionsPerAddress?: number | undefined;
  /** Streams of one HTTP/2 connection at a time. */
  http2MaxStreamsPerConnection?: number | undefined;
  /** How many requests are remembered; none, where left out. */
  rememberedTraces?: number;
  /** How long running requests may take to end when the server stops, in milliseconds. Default 2 s. */
  shutdownTimeout?: number;
}

/** What the listener of a process is made of. */
export interface FrontDoorOptions {
  config: FrontDoorConfig;
  deps: Pick<ServerDeps, 'clock' | 'log' | 'metrics'>;
  certificate: LiveKeyPair;
  authenticator: Authenticator;
  authorizer: Authorizer;
  audit?: OpenAudit | undefined;
}

/** The listener with the request path. It takes its port early, and answers 503 until it is opened. */
export interface FrontDoor {
  /** Resolves to the port. Throws OperatorError PORT_IN_USE and ADDRESS_UNAVAILABLE. */
  listen(): Promise<number>;
  /** `elsewhere` asks the other processes of the system for their traces. */
  open(backend: Backend, elsewhere?: TracePathsOptions['elsewhere']): void;
  close(): Promise<void>;
}

/** Makes the listener of a process. */
export function createFrontDoor({
  config,
  deps,
  certificate,
  audit,
  ...checks
}: FrontDoorOptions): FrontDoor {
  let backend = starting;
  const traces = new TraceLog(config.rememberedTraces ?? 0);
  const steps = requestSteps({
    ...deps,
    ...checks,
    auditor: audit && createAuditor({ ...audit, clock: deps.clock }),
    traces,
    identityHeaders: identityHeaderNames(config),
    requestTimeoutMs: config.requestTimeout,
    maxInFlight: config.maxRequestsInflight,
    backend: { handle: (ctx) => backend.handle(ctx) },
  });
  const listener = createApiListener({
    bindAddress: config.bindAddress,
    port: config.port,
    certificate: certificate.current().cert,
    key: certificate.current().key,
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
      listener.start().catch((error: NodeJS.ErrnoException) => Promise.reject(listenError(error, config))),
    open(opened, elsewhere) {
      const { authorizer } = checks;
      backend = tracePaths({ traces, authorizer, ...(elsewhere ? { elsewhere } : {}) }, opened);
    },
    close: () => listener.stop(config.shutdownTimeout ?? 2_000),
  };
}

const connectionLimitsOf = (config: FrontDoorConfig): ConnectionLimits => ({
  maxConnections: config.maxConnections ?? defaultConnectionLimits.maxConnections,
  maxConnectionsPerAddress:
    config.maxConnectionsPerAddress ?? defaultConnectionLimits.maxConnectionsPerAddress,
});

/** Answers as long as there is nobody else. */
export const starting: Backend = {
  handle: () => Promise.reject(serviceUnavailable('the server is starting')),
};

function listenError(cause: NodeJS.ErrnoException, { bindAddress, port }: FrontDoorConfig): Error {
  const where = `${bindAddress}:${port}`;
  if (cause.code === 'EADDRINUSE') return new OperatorError('PORT_IN_USE', `${where} is in use`, { cause });
  return new OperatorError('ADDRESS_UNAVAILABLE', `cannot listen on ${where}: ${cause.message}`, { cause });
}

/** The URL of a listener. */
export const serverUrl = (address: string, port: number): string =>
  `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
