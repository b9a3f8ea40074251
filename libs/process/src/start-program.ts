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
import { fullDisk, unreachableStore } from './etcd-store.ts';
import type { Identities } from './identities.ts';
import { migrateKeys } from './migrate-keys.ts';
import { openAuthorizer } from './open-authorizer.ts';
import { openFlowControl } from './open-flow-control.ts';
import type { ConfiguredEgress } from '@annex/egress';
import type { EgressConfig } from './egress-options.ts';
import type { ServerConfig } from './options.ts';
import type { Composition, Program } from './program.ts';
import { readingKubeValues } from './kube-values.ts';
import { refuseProxiesOfClients } from './request-header-options.ts';
import { createSecureServer, type SecureServer, serverUrl } from './secure-server.ts';
import { openSniCertificates } from './sni-certificates.ts';
import { StartPhase } from './start-phase.ts';
import type { ThreadMember } from './threads/thread-member.ts';

/** A running program. */
export interface RunningProgram<I extends Identities = Identities> {
  /** `https://address:port`. */
  url: string;
  identities: I;
  /** Drains and stops; returns the errors of the parts that failed to stop. */
  stop(): Promise<readonly OperatorError[]>;
  /** Resolves to the reason why the process must end. */
  ended?: Promise<Error>;
}

/**
 * Starts a program: opens the store, the identities and the apps, and listens. In a group, other threads of the process run it too, on the
 * same port. Throws OperatorError.
 */
export async function startProgram<C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  configOfProcess: Validated<C>,
  member?: ThreadMember,
): Promise<RunningProgram<I>> {
  const log =
    member === undefined || member.isMain
      ? startupLog(program.name, program.options, configOfProcess)
      : member.log(configOfProcess);
  const config = member?.limits(configOfProcess) ?? configOfProcess;
  const files = createLiveFiles(log);
  const own = createMetrics();
  const metrics = member?.metrics(own) ?? own;
  const egress = await openEgress(config, metrics);
  const store = await openStore(program, config, { egress, files, log, metrics });
  const deps = serverDeps(config, store, { egress, log, metrics });
  try {
    return await startWith(program, config, { egress, files, member }, deps);
  } catch (error) {
    files.close();
    await deps.feed.close();
    await deps.store.close();
    egress?.close();
    throw fullDisk(error);
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
  { clock, member, phase, server }: Draining,
): Part => {
  const drain = () => {
    phase.beginStop();
    if (shutdownDelayDuration > 0) server.drain();
  };
  // The main thread waits for all threads.
  const isMain = member?.isMain ?? true;
  if (!isMain) member?.onDrain(drain);
  return {
    name: 'drain',
    async stop() {
      drain();
      if (!isMain) return;
      await member?.drainOthers();
      if (shutdownDelayDuration > 0) await clock.sleep(shutdownDelayDuration);
    },
  };
};

interface Draining {
  clock: Clock;
  member: ThreadMember | undefined;
  phase: StartPhase;
  server: SecureServer;
}

/** Milliseconds for one part to stop: the delay, or the running requests. */
const stopDeadline = ({ shutdownDelayDuration = 0, requestTimeout }: ServerConfig): number =>
  shutdownDelayDuration === 0 ? 10_000 : Math.max(shutdownDelayDuration, requestTimeout) + 10_000;

/** Follows the store once its keys are those of this version. */
async function openFeed({ feed, log, store }: ServerDeps): Promise<void> {
  await migrateKeys(store, log);
  await feed.start();
}

interface Opened {
  egress: ConfiguredEgress | undefined;
  files: LiveFiles;
  member: ThreadMember | undefined;
}

/** Further threads listen when the main thread serves: each connection is served from then on, whichever thread has it. */
const phaseOf = (apps: Composition, member: ThreadMember | undefined, port: () => number): StartPhase =>
  new StartPhase(
    async () => void (await Promise.all([apps.ready?.(), member?.open?.()])),
    member?.start && (() => member.start!(port())),
  );

/** Listens in a further thread, and serves from the first connection on. */
async function openLater(
  mayListen: () => Promise<void>,
  phase: StartPhase,
  server: SecureServer,
): Promise<void> {
  await mayListen();
  await Promise.all([phase.open(), server.listen()]);
}

async function startWith<C extends ServerConfig, I extends Identities>(
  program: Program<C, I>,
  config: Validated<C> & Partial<EtcdConfig>,
  { egress, files, member }: Opened,
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
  const audit = await openConfiguredAudit(config, { ...deps, threads: member?.audit });
  const phase = phaseOf(apps, member, port);
  const flows = config.enablePriorityAndFairness && !apps.authentication.behindFrontProxy;
  const flowControl = flows ? openFlowControl(config, deps) : undefined;
  const authenticator = serverAuthenticator(config, identities, apps.authentication);
  const server = createSecureServer({
    config,
    deps,
    certificate: identities.serving,
    certificateByName: (name) => identities.named?.get(name) ?? bySni(name),
    authenticator: member?.authenticator(authenticator, deps) ?? authenticator,
    authorizer: serverAuthorizer(config, authorizer),
    audit,
    flowControl: flowControl?.flows,
    routes: phase.routes(apps, deps),
    group: member?.server(),
  });
  const mayListen = member?.mayListen;
  if (mayListen === undefined) listening.port = await server.listen();

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
      {
        name: 'listener',
        start: () => (mayListen === undefined ? phase.open() : openLater(mayListen, phase, server)),
        stop: async () => void (await Promise.all([server.close(), member?.stop?.()])),
      },
      ...(apps.clients ?? []),
      drainPart(config, { clock: deps.clock, member, phase, server }),
    ],
    { deadline: stopDeadline(config) },
  );
  await lifecycle.start();
  const url = serverUrl(config.bindAddress, listening.port);
  return { url, identities, stop: () => lifecycle.stop(), ...(member?.ended ? { ended: member.ended } : {}) };
}
