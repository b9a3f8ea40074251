import { rbacAuthorizer } from '@annex/auth';
import {
  type Clock,
  createLifecycle,
  createLiveFiles,
  createMetrics,
  type LiveFiles,
  type Metrics,
  type OperatorError,
  type Part,
  startupLog,
  systemClock,
  type Validated,
} from '@annex/runtime';
import { measuredStore, servedApis, type ServedApisConfig, type ServerDeps } from '@annex/server';
import { createFeed, type Store } from '@annex/storage';
import { openConfiguredAudit } from '@annex/audit';
import { serverAuthenticator, serverAuthorizer } from './authentication-chain.ts';
import type { EtcdConfig } from './etcd-options.ts';
import { unreachableStore } from './etcd-store.ts';
import type { Identities } from './identities.ts';
import { migrateKeys } from './migrate-keys.ts';
import { openAuthorizer } from './open-authorizer.ts';
import { openFlowControl } from './open-flow-control.ts';
import type { ConfiguredEgress } from '@annex/egress';
import type { EgressConfig } from './egress-options.ts';
import type { ServerConfig } from './options.ts';
import type { Program } from './program.ts';
import { readingKubeValues } from './kube-values.ts';
import { refuseProxiesOfClients } from './request-header-options.ts';
import { createSecureServer, type SecureServer, serverUrl } from './secure-server.ts';
import { openSniCertificates } from './sni-certificates.ts';
import { StartPhase } from './start-phase.ts';

/** A running program. */
export interface RunningProgram<I extends Identities = Identities> {
  /** `https://address:port`. */
  url: string;
  identities: I;
  /** Drains and stops; returns the errors of the parts that failed to stop. */
  stop(): Promise<readonly OperatorError[]>;
}

/** Starts a program: opens the store, the identities and the apps, and listens. Throws OperatorError. */
export async function startProgram<C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  config: Validated<C>,
): Promise<RunningProgram<I>> {
  const log = startupLog(program.name, program.options, config);
  const files = createLiveFiles(log);
  const metrics = createMetrics();
  const egress = await openEgress(config, metrics);
  const store = await openStore(program, config, { egress, files, log, metrics });
  const deps = serverDeps(config, store, { egress, log, metrics });
  try {
    return await startWith(program, config, { egress, files }, deps);
  } catch (error) {
    files.close();
    await deps.feed.close();
    await deps.store.close();
    egress?.close();
    throw error;
  }
}

function serverDeps(
  config: ServerConfig & Partial<ServedApisConfig>,
  opened: Store,
  others: Pick<ServerDeps, 'egress' | 'log' | 'metrics'>,
): ServerDeps {
  const store = measuredStore(opened, others.metrics);
  const feed = createFeed(store, { clock: systemClock, log: others.log });
  const served = config.runtimeConfig && { servedApis: servedApis(config.runtimeConfig) };
  return { store, feed, clock: systemClock, ...others, ...served };
}

/** Opens the store. A store on etcd may contain what kube-apiserver wrote. */
async function openStore<C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  config: Validated<C> & Partial<EtcdConfig>,
  deps: Pick<ServerDeps, 'egress' | 'log' | 'metrics'> & { files: LiveFiles },
): Promise<Store> {
  const store = await openDecrypted(program, config, deps);
  return (config.etcdServers ?? []).length > 0 ? await readingKubeValues(store) : store;
}

/** Loads the code of encryption only if it is configured. */
async function openDecrypted<C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  config: Validated<C> & Partial<EtcdConfig>,
  { egress, ...deps }: Pick<ServerDeps, 'egress' | 'log' | 'metrics'> & { files: LiveFiles },
): Promise<Store> {
  const { encryptionProviderConfig: file } = config;
  if (file === undefined) return await program.openStore(config, deps.log, egress);
  const { openEncryption } = await import('./encryption/open-encryption.ts');
  const encrypted = await openEncryption(file, config as EtcdConfig, { ...deps, clock: systemClock });
  return encrypted(await program.openStore(config, deps.log, egress));
}

/** Loads the code of egress selectors only if one is configured. */
async function openEgress(
  { egressSelectorConfigFile: file }: EgressConfig,
  metrics: Metrics,
): Promise<ConfiguredEgress | undefined> {
  if (file === undefined) return undefined;
  return await (await import('@annex/egress')).openEgressSelector(file, metrics);
}

/** Before everything else stops, fails `/readyz` and serves requests, so that load balancers choose another replica. */
const drainPart = (
  { shutdownDelayDuration = 0 }: ServerConfig,
  { clock, phase, server }: { clock: Clock; phase: StartPhase; server: SecureServer },
): Part => ({
  name: 'drain',
  async stop() {
    phase.beginStop();
    if (shutdownDelayDuration === 0) return;
    server.drain();
    await clock.sleep(shutdownDelayDuration);
  },
});

/** Milliseconds for one part to stop: the delay, or the running requests. */
const stopDeadline = ({ shutdownDelayDuration = 0, requestTimeout }: ServerConfig): number =>
  shutdownDelayDuration === 0 ? 10_000 : Math.max(shutdownDelayDuration, requestTimeout) + 10_000;

/** Follows the store once its keys are those of this version. */
async function openFeed({ feed, log, store }: ServerDeps): Promise<void> {
  await migrateKeys(store, log);
  await feed.start();
}

async function startWith<C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  config: Validated<C> & Partial<EtcdConfig>,
  { egress, files }: { egress: ConfiguredEgress | undefined; files: LiveFiles },
  deps: ServerDeps,
): Promise<RunningProgram<I>> {
  // Identities. The store is read concurrently.
  const [identities, bySni] = await Promise.all([
    program.openIdentities(config, files, deps.log),
    openSniCertificates(config.tlsSniCertKey, files),
    openFeed(deps).catch((error: unknown) => Promise.reject(unreachableStore(config, error) as Error)),
  ]);
  refuseProxiesOfClients(config, identities);
  const rbac = rbacAuthorizer(deps.feed);
  const authorizer = await openAuthorizer(config, { ...deps, rbac, files });

  // Apps.
  const listening = { port: config.port };
  const port = () => listening.port;
  const apps = await program.compose({ config, deps, identities, files, authorizer, rbac, port });

  // Listener.
  const audit = await openConfiguredAudit(config, deps);
  const phase = new StartPhase(apps.ready);
  const flows = config.enablePriorityAndFairness && !apps.authentication.behindFrontProxy;
  const flowControl = flows ? openFlowControl(config, deps) : undefined;
  const server = createSecureServer({
    config,
    deps,
    certificate: identities.serving,
    certificateByName: (name) => identities.named?.get(name) ?? bySni(name),
    authenticator: serverAuthenticator(config, identities, apps.authentication),
    authorizer: serverAuthorizer(config, authorizer),
    audit,
    flowControl: flowControl?.flows,
    routes: phase.routes(apps, deps),
  });
  listening.port = await server.listen();

  // Ready, and stop in reverse.
  const lifecycle = createLifecycle(
    [
      { name: 'egress', stop: () => egress?.close() },
      { name: 'files', stop: () => files.close() },
      { name: 'audit', stop: () => audit?.close() },
      { name: 'store', stop: () => deps.store.close() },
      { name: 'feed', stop: () => deps.feed.close() },
      ...apps.parts,
      ...(flowControl ? [flowControl.part] : []),
      { name: 'listener', start: () => phase.open(), stop: () => server.close() },
      ...(apps.clients ?? []),
      drainPart(config, { clock: deps.clock, phase, server }),
    ],
    { deadline: stopDeadline(config) },
  );
  await lifecycle.start();
  return { url: serverUrl(config.bindAddress, listening.port), identities, stop: () => lifecycle.stop() };
}
