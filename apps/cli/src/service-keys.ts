import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readFileIfPresent, writeFileAtomically } from '@annex/auth';

const servedBy = (name: string) => ['pki/ca.crt', `pki/${name}.crt`, `pki/${name}.key`];

const etcdClient = ['pki/etcd/ca.crt', 'pki/etcd/client.crt', 'pki/etcd/client.key'];

/** The files of every app that serves a part of the API: its certificate, and those of the front proxy and the store. */
const app = (name: string) => [...servedBy(name), 'pki/front-proxy-ca.crt', ...etcdClient];

/** The configuration for the tunnel of the profile konnectivity, in the data directory. */
export const egressSelectorFile = 'egress-selector-configuration.yaml';

const proxyClient = ['pki/front-proxy-client.crt', 'pki/front-proxy-client.key'];

/** The files of the data directory that each service reads. No service reads the keys of the CAs. */
export const serviceKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['object-storage', ['pki/etcd/ca.crt', 'pki/etcd/server.crt', 'pki/etcd/server.key']],
  ['core-api', [...app('core-api'), 'pki/sa.key', 'pki/sa.pub', egressSelectorFile]],
  ['crd-registry', [...app('crd-registry'), egressSelectorFile]],
  ['authorization', [...app('authorization'), egressSelectorFile]],
  ['discovery', [...app('discovery'), ...proxyClient, egressSelectorFile]],
  ['front-proxy', [...app('apiserver'), ...proxyClient, 'pki/sa.pub', egressSelectorFile]],
  ['controllers', [...servedBy('controllers'), 'pki/sa.key', 'controllers.kubeconfig']],
  ['fake-nodes', ['fake-nodes.kubeconfig']],
  [
    'konnectivity-server',
    ['pki/konnectivity/ca.crt', 'pki/konnectivity/server.crt', 'pki/konnectivity/server.key'],
  ],
  [
    'konnectivity-agent',
    ['pki/konnectivity/ca.crt', 'pki/konnectivity/agent.crt', 'pki/konnectivity/agent.key'],
  ],
  ['scheduler', [...servedBy('scheduler'), 'scheduler.kubeconfig']],
]);

/** Creates `services/NAME` in the data directory for each service, with copies of exactly the files that it reads. */
export async function copyServiceKeys(dataDir: string): Promise<void> {
  for (const [service, files] of serviceKeys) {
    const folder = join(dataDir, 'services', service);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeOthers(folder, files);
    for (const file of files) await copyFile(join(dataDir, file), join(folder, file));
  }
}

/** Replaces a file atomically, and only if it differs: services watch their files. */
async function copyFile(from: string, to: string): Promise<void> {
  const content = await readFile(from, 'utf8');
  if ((await readFileIfPresent(to)) === content) return;
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await writeFileAtomically(to, content, 0o600);
}

/** Removes files that the service does not read, such as those of an earlier version. */
async function removeOthers(folder: string, files: readonly string[]): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const kept = new Set(files.map((file) => join(folder, file)));
  const others = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !kept.has(path));
  await Promise.all(others.map((path) => rm(path)));
}
