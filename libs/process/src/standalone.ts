import {
  type Authenticator,
  type AuthorizerChain,
  type RbacAuthorizer,
  rbacAuthorizer,
  requireAuthorities,
} from '@annex/auth';
import {
  type ConflictCheck,
  createLifecycle,
  createLiveFiles,
  createLogger,
  type LiveFiles,
  type LogLevel,
  type OperatorError,
  type OptionsTable,
  type Part,
  runProcess,
  startupValues,
  type Validated,
} from '@annex/runtime';
import {
  type App,
  type Backend,
  type HealthCheck,
  internalDiscovery,
  nonResource,
  type NonResourceOptions,
  type ServerDeps,
  storeHealthChecks,
  type TracePathsOptions,
  versionInfo,
} from '@annex/server';
import { openConfiguredAudit } from '@annex/audit';
import { createFrontDoor, serverUrl, starting } from './front-door.ts';
import { type Authorities, standaloneAuthenticator, standaloneAuthorizer } from './identities.ts';
import { openKeyPair } from './live-key-pair.ts';
import { openAuthorizer } from './open-authorizer.ts';
import { refuseProxiesOfClients } from './request-header-options.ts';
import { type StandaloneConfig, standaloneConflicts } from './options.ts';
import { openStandaloneDeps } from './store.ts';

/** What an app of a process of its own is made from. */
export interface StandaloneContext<C> extends Authorities {
  config: Validated<C>;
  deps: ServerDeps;
  /** The files that options name, followed as long as the process runs. */
  files: LiveFiles;
  /** Who may do what in the system. */
  authorizer: AuthorizerChain;
  rbac: RbacAuthorizer;
}

/** What runs in the process. */
export interface StandaloneParts extends Pick<NonResourceOptions, 'documents' | 'apiPaths'> {
  app: App;
  /** Started before the app, in this order. */
  parts?: readonly Part[];
  /** Beside request headers and client certificates. */
  authenticators?: readonly Authenticator[];
  /** Its request headers are those of anybody's proxies. Those of all other apps come from the front proxy. */
  facesClients?: boolean;
  /** What lets requests without credentials in, in the place of what `--anonymous-auth` says. */
  anonymous?: Authenticator | 'nobody';
  /** Asks the other processes of the system for their traces. */
  traces?: TracePathsOptions['elsewhere'];
  /** Resolves when others may rely on the process, which answers already. */
  ready?: () => Promise<void>;
}

/** An app that can run in a process of its own. */
export interface Standalone<C extends StandaloneConfig> {
  name: string;
  options: OptionsTable<C>;
  conflicts?: ConflictCheck<C>;
  create(context: StandaloneContext<C>): StandaloneParts | Promise<StandaloneParts>;
}

/** A running process of an app. */
export interface RunningStandalone {
  url: string;
  /** Drains and stops; returns what did not stop well. */
  stop(): Promise<readonly OperatorError[]>;
}

/** Starts an app behind its own listener, on the etcd cluster of the options. Throws OperatorError. */
export async function startStandalone<C extends StandaloneConfig>(
  standalone: Standalone<C>,
  config: Validated<C>,
): Promise<RunningStandalone> {
  const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
  log.info(`starting ${standalone.name}`, startupValues(standalone.options, config));
  const files = createLiveFiles(log);
  const authority = (path: string | undefined) =>
    path === undefined ? undefined : files.open(path, requireAuthorities);
  const [certificate, clientCa, requestheaderCa] = await Promise.all([
    openKeyPair(files, config.tlsCertFile, config.tlsPrivateKeyFile),
    authority(config.clientCaFile),
    authority(config.requestheaderClientCaFile),
  ]);
  const deps = await openStandaloneDeps(config, log);
  const rbac = rbacAuthorizer(deps.feed);
  try {
    const authorizer = await openAuthorizer(config, { ...deps, rbac, files });
    const context = { config, deps, files, authorizer, rbac, clientCa, requestheaderCa };
    refuseProxiesOfClients(config, context);
    const made = await standalone.create(context);
    const authenticator = standaloneAuthenticator(config, context, made);
    const audit = await openConfiguredAudit(config, deps);
    const door = createFrontDoor({
      config,
      deps,
      certificate,
      authenticator,
      authorizer: standaloneAuthorizer(config, authorizer),
      audit,
    });
    const readiness = createReadiness(made, deps);
    door.open(readiness.backend, made.traces);
    const port = await door.listen();
    const lifecycle = createLifecycle([
      { name: 'files', stop: () => files.close() },
      { name: 'audit', stop: () => audit?.close() },
      { name: 'store', stop: () => deps.store.close() },
      { name: 'feed', stop: () => deps.feed.close() },
      { name: 'rbac', start: () => rbac.start() },
      ...(made.parts ?? []),
      made.app,
      { name: 'listener', start: () => readiness.open(), stop: () => door.close() },
    ]);
    await lifecycle.start();
    return { url: serverUrl(config.bindAddress, port), stop: () => lifecycle.stop() };
  } catch (error) {
    files.close();
    await deps.feed.close();
    await deps.store.close();
    throw error;
  }
}

/** The paths about the process itself, which answer from the first moment on, before those of the app, which wait. */
function createReadiness({ app, documents, apiPaths, ready }: StandaloneParts, deps: ServerDeps) {
  let served = starting;
  let started = false;
  const check: HealthCheck = {
    name: 'started',
    readyOnly: true,
    check() {
      if (!started) throw new Error('the app is starting');
    },
  };
  const gate: Backend = { handle: (ctx) => served.handle(ctx) };
  const about = {
    checks: [...storeHealthChecks(deps), check],
    metrics: deps.metrics,
    version: versionInfo,
    ...(documents ? { documents } : {}),
    ...(apiPaths ? { apiPaths } : {}),
  };
  return {
    backend: nonResource(about, gate),
    async open() {
      served = internalDiscovery(app.discovery, app);
      await ready?.();
      started = true;
    },
  };
}

/** The main function of such a process: runs until SIGTERM or SIGINT. Resolves to the exit code. */
export const runStandalone = <C extends StandaloneConfig>(standalone: Standalone<C>): Promise<number> =>
  runProcess<C>({
    name: standalone.name,
    options: standalone.options,
    conflicts: (config) => [...standaloneConflicts(config), ...(standalone.conflicts?.(config) ?? [])],
    async start(config) {
      const { url, stop } = await startStandalone(standalone, config);
      return { about: url, stop };
    },
  });
