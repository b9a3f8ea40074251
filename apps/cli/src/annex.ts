import { join, resolve } from 'node:path';
import { ensurePki, type PkiFiles, rbacAuthorizer, writeKubeconfig } from '@annex/auth';
import { IpRange } from '@annex/core-api';
import {
  createLifecycle,
  createLiveFiles,
  createLogger,
  createMetrics,
  type Logger,
  type LogLevel,
  makePrivateDirectory,
  OperatorError,
  requireSupportedNode,
  systemClock,
  type Validated,
} from '@annex/runtime';
import { createFrontDoor, openAuthorizer, refuseProxiesOfClients, serverUrl } from '@annex/process';
import { measuredStore, servedApis, type ServerDeps } from '@annex/server';
import { openAdmission } from '@annex/admission';
import { openConfiguredAudit } from '@annex/audit';
import { createFeed, createMemoryStore, openDataDir, type Store } from '@annex/storage';
import { composeApps } from './compose.ts';
import { controllersPart } from './controllers.ts';
import { openIdentities } from './identities.ts';
import { openKeys } from './keys.ts';
import { advertisedAddress, type UpConfig } from './up-options.ts';

/** A running Annex. */
export interface Annex {
  /** `https://address:port`. */
  url: string;
  /** The file with the administrator's access. */
  kubeconfig: string;
  /** The keys of the data directory. */
  pki: PkiFiles;
  /** Drains and stops; returns what did not stop well. */
  stop(): Promise<readonly OperatorError[]>;
}

/** What the caller brings along in place of what the data directory holds. */
export interface Given {
  /** It is closed when Annex stops. */
  store?: Store;
  /** The file for the administrator's access. */
  kubeconfig?: string;
}

/** Starts every app in this process. Resolves when requests are answered. Throws OperatorError. */
export async function startAnnex(config: Validated<UpConfig>, given: Given = {}): Promise<Annex> {
  requireSupportedNode();
  const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
  const dataDir = resolve(config.dataDir);
  openDirectory(dataDir);
  // The store first: it says who holds the directory before anything is written into it.
  const store =
    given.store ?? (config.ephemeral ? createMemoryStore() : await openDataDir(join(dataDir, 'store')));
  const deps = { ...serverDeps(store, log), servedApis: servedApis(config.runtimeConfig) };
  const kubeconfig = given.kubeconfig ?? join(config.dataDir, 'admin.kubeconfig');
  try {
    return await startOn(deps, config, dataDir, kubeconfig);
  } catch (error) {
    await deps.feed.close();
    await store.close();
    throw error;
  }
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

function serverDeps(opened: Store, log: Logger): ServerDeps {
  const metrics = createMetrics();
  const store = measuredStore(opened, metrics);
  const feed = createFeed(store, { clock: systemClock, log });
  return { store, feed, clock: systemClock, log, metrics };
}

async function startOn(
  deps: ServerDeps,
  config: Validated<UpConfig>,
  dataDir: string,
  kubeconfig: string,
): Promise<Annex> {
  const { store, log } = deps;
  const serviceRange = new IpRange(config.serviceClusterIpRange);
  // Reading the store and the keys do not wait for each other.
  const loading = deps.feed.start();
  const pki = await ensurePki(join(dataDir, 'pki'), {
    // The Service `kubernetes` has the first address of the range.
    subjectAltNames: [...new Set([config.bindAddress, advertisedAddress(config)]), serviceRange.at(1n)],
    onIssued: (name, why) => log.info('issued a certificate', { name, why }),
  });
  const files = createLiveFiles(log);
  const keys = await openKeys(config, pki, files);
  refuseProxiesOfClients(config, keys);
  await loading;
  const identities = await openIdentities(config, keys, files, deps);
  const rbac = rbacAuthorizer(deps.feed);
  const authorizer = await openAuthorizer(config, { ...deps, rbac, files });
  const admission = await openAdmission(deps, authorizer, config);
  const audit = await openConfiguredAudit(config, deps);
  const door = createFrontDoor({
    config,
    deps,
    certificate: keys.serving,
    authenticator: identities.authenticator,
    authorizer,
    audit,
  });
  const port = await door.listen();
  const url = serverUrl(config.bindAddress, port);
  const apps = composeApps({
    config,
    deps,
    keys,
    identities,
    authorizer,
    admission,
    rbac,
    port,
    serviceRange,
  });
  const lifecycle = createLifecycle([
    { name: 'files', stop: () => files.close() },
    { name: 'audit', stop: () => audit?.close() },
    { name: 'store', stop: () => store.close() },
    { name: 'feed', stop: () => deps.feed.close() },
    identities.part,
    ...apps.parts,
    { name: 'front door', start: () => door.open(apps.backend), stop: () => door.close() },
    {
      name: 'kubeconfig',
      start: () => writeKubeconfig(resolve(kubeconfig), { server: url, caData: pki.ca.cert, ...pki.admin }),
    },
    controllersPart({ config, deps, pki, port, serviceAccountKey: keys.serviceAccount.signingKey }),
  ]);
  await lifecycle.start();
  return { url, kubeconfig, pki, stop: () => lifecycle.stop() };
}
