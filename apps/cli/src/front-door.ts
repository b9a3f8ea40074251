import type { Authenticator, Authorizer } from '@annex/auth';
import { serviceUnavailable } from '@annex/machinery';
import { OperatorError } from '@annex/runtime';
import { type Backend, createListener, requestSteps, type ServerDeps } from '@annex/server';
import { identityHeaderNames } from './keys.ts';
import type { UpConfig } from './up-options.ts';

/** What the listener of `annex up` is made of. */
export interface FrontDoorOptions {
  config: UpConfig;
  deps: ServerDeps;
  certificate: { cert: string; key: string };
  authenticator: Authenticator;
  authorizer: Authorizer;
}

/** The listener with the request path. It takes its port early, and answers 503 until it is opened. */
export interface FrontDoor {
  /** Resolves to the port. Throws OperatorError PORT_IN_USE and ADDRESS_UNAVAILABLE. */
  listen(): Promise<number>;
  open(backend: Backend): void;
  close(): Promise<void>;
}

/** How long running requests may take to end when the server stops. */
const graceMs = 2_000;

export function createFrontDoor({ config, deps, certificate, ...checks }: FrontDoorOptions): FrontDoor {
  let backend: Backend = {
    handle: () => Promise.reject(serviceUnavailable('the server is starting')),
  };
  const listener = createListener({
    bindAddress: config.bindAddress,
    port: config.port,
    certificate: certificate.cert,
    key: certificate.key,
    clock: deps.clock,
    steps: requestSteps({
      ...deps,
      ...checks,
      identityHeaders: identityHeaderNames(config),
      requestTimeoutMs: config.requestTimeout,
      maxInFlight: config.maxRequestsInflight,
      backend: { handle: (ctx) => backend.handle(ctx) },
    }),
  });
  return {
    listen: () =>
      listener.start().catch((error: NodeJS.ErrnoException) => Promise.reject(listenError(error, config))),
    open(opened) {
      backend = opened;
    },
    close: () => listener.stop(graceMs),
  };
}

function listenError(cause: NodeJS.ErrnoException, { bindAddress, port }: UpConfig): Error {
  const where = `${bindAddress}:${port}`;
  if (cause.code === 'EADDRINUSE') return new OperatorError('PORT_IN_USE', `${where} is in use`, { cause });
  return new OperatorError('ADDRESS_UNAVAILABLE', `cannot listen on ${where}: ${cause.message}`, { cause });
}
