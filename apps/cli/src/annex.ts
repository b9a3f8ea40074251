import { join, resolve } from 'node:path';
import { type PkiCertificates, writeKubeconfig } from '@annex/auth';
import {
  makePrivateDirectory,
  OperatorError,
  type Part,
  requireSupportedNode,
  type Validated,
} from '@annex/runtime';
import {
  loadThreads,
  loopbackServerName,
  openEtcdStore,
  type Program,
  type ProgramContext,
  serverUrl,
  startProgram,
  type ThreadGroup,
} from '@annex/process';
import { createMemoryStore, openDataDir, type Store } from '@annex/storage';
import { Attempts, attemptsHandler, type KnownAttempts } from '@annex/scheduler';
import { composeApps } from './compose.ts';
import { controllersPart } from './controllers.ts';
import { fakeNodesPart } from './fake-nodes.ts';
import { openUpIdentities, type UpIdentities } from './identities.ts';
import { schedulersPart } from './schedulers.ts';
import { type UpConfig, upConflicts, upOptions } from './up-options.ts';

/** A running Annex. */
export interface Annex {
  /** `https://address:port`. */
  url: string;
  /** The file with the administrator's kubeconfig. */
  kubeconfig: string;
  /** The keys in the data directory. */
  pki: PkiCertificates;
  /** Drains and stops. Resolves to the errors of the parts that failed to stop. */
  stop(): Promise<readonly OperatorError[]>;
  /** Resolves to the reason why the process must end, if a part of it failed. */
  ended?: Promise<Error>;
}

/** Overrides of what the data directory contains. */
export interface StartOverrides {
  /** Closed when Annex stops. */
  store?: Store;
  /** The file for the administrator's kubeconfig. */
  kubeconfig?: string;
  /** True if the data directory is removed at the end: the start does not wait until its files are on the disk. Default false. */
  isTemporary?: boolean;
}

/** Starts every app in this process. Resolves when requests are served. Throws OperatorError. */
export async function startAnnex(
  config: Validated<UpConfig>,
  overrides: StartOverrides = {},
): Promise<Annex> {
  requireSupportedNode();
  const kubeconfig = overrides.kubeconfig ?? join(config.dataDir, 'admin.kubeconfig');
  const { identities, ...running } = await start(config, kubeconfig, overrides);
  return { ...running, kubeconfig, pki: identities.pki };
}

async function start(config: Validated<UpConfig>, kubeconfig: string, overrides: StartOverrides) {
  if (config.servingThreads === 1) return await startProgram(upProgram(kubeconfig, overrides), config);
  const { startInThreads } = await loadThreads();
  const entry = new URL('./serving-thread.ts', import.meta.url);
  return await startInThreads((group) => upProgram(kubeconfig, overrides, group), config, entry);
}

/** The program of `annex up`: every app in one process, with an embedded store. */
const upProgram = (
  kubeconfig: string,
  { store, isTemporary = false }: StartOverrides,
  group?: ThreadGroup,
): Program<UpConfig, UpIdentities> => ({
  name: 'annex',
  options: upOptions,
  conflicts: upConflicts,
  openStore(config, log, egress) {
    const dataDir = resolve(config.dataDir);
    openDirectory(dataDir);
    if (store !== undefined) return store;
    if (config.etcdServers.length > 0) return openEtcdStore(config, log, egress);
    return config.ephemeral ? createMemoryStore() : openDataDir(join(dataDir, 'store'), log);
  },
  openIdentities: (config, files, log) => openUpIdentities(config, files, log, { durable: !isTemporary }),
  async compose(context) {
    const attempts = new Attempts();
    group?.handle(attemptsOfPod, (pod: string) => attempts.of(pod));
    const composed = await composeApps(context);
    return {
      ...composed,
      routes: { ...composed.routes, app: (request) => attemptsHandler(request, attempts) },
      clients: clientsOf(context, { attempts, kubeconfig }),
    };
  },
});

/** The program of the other threads: the apps, without what runs once. The store is that of the main thread, or etcd. */
export const threadProgram = (group: ThreadGroup, store?: Store): Program<UpConfig, UpIdentities> => ({
  ...upProgram('', {}),
  openStore: (config, log, egress) => store ?? openEtcdStore(config, log, egress),
  async compose(context) {
    const composed = await composeApps(context);
    const attempts: KnownAttempts = { of: (pod) => group.callMain(attemptsOfPod, pod) };
    return {
      ...composed,
      routes: { ...composed.routes, app: (request) => attemptsHandler(request, attempts) },
    };
  },
});

/** The call of the main thread, in which the schedulers run. */
const attemptsOfPod = 'attempts';

interface Running {
  attempts: Attempts;
  kubeconfig: string;
}

/** Returns the clients of the server in the same process. */
function clientsOf(
  { config, deps, identities, port }: ProgramContext<UpConfig, UpIdentities>,
  { attempts, kubeconfig }: Running,
): Part[] {
  const { pki, serviceAccount } = identities;
  const tlsServerName = identities.named === undefined ? undefined : loopbackServerName;
  const writeAdminKubeconfig = () => {
    const server = serverUrl(config.bindAddress, port());
    return writeKubeconfig(resolve(kubeconfig), {
      server,
      tlsServerName,
      caData: pki.ca.cert,
      ...pki.admin,
    });
  };
  return [
    { name: 'kubeconfig', start: writeAdminKubeconfig },
    controllersPart({ config, deps, pki, port, tlsServerName, serviceAccountKey: serviceAccount.signingKey }),
    fakeNodesPart({ config, deps, pki, port, tlsServerName }),
    schedulersPart({ config, deps, pki, port, tlsServerName }, attempts),
  ];
}

function openDirectory(dataDir: string): void {
  try {
    makePrivateDirectory(dataDir, (name) => ownNames.has(name));
  } catch (cause) {
    const { message } = cause as Error;
    throw new OperatorError('DATA_DIR_UNUSABLE', `cannot use ${dataDir}: ${message}`, { cause });
  }
}

const ownNames = new Set(['store', 'pki', 'admin.kubeconfig']);
