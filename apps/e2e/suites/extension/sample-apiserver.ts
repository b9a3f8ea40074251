import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findTool, freePorts, type RunningProcess, startProcess } from '@annex/testkit';
import type { Extension, ExtensionSetting } from './extension.ts';
import { annexCommand } from '../../runners/annex-command.ts';

const version = 'v0.36.3';
const cache = new URL('../../../../node_modules/.cache/go/', import.meta.url).pathname;

/** Installs the real sample-apiserver if it is missing; resolves to its path. Building it takes minutes. */
export async function installSampleApiserver(): Promise<string> {
  const folder = join(cache, `sample-apiserver-${version}`);
  const binary = join(folder, 'sample-apiserver');
  if (existsSync(binary)) return binary;
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, GOBIN: folder, GOFLAGS: '-ldflags=-w' };
  await promisify(execFile)(findTool('go') ?? 'go', ['install', `k8s.io/sample-apiserver@${version}`], {
    env,
  });
  return binary;
}

/** An etcd server, or a compatible one, for the sample-apiserver only. */
export interface Etcd {
  url: string;
  process: RunningProcess;
}

/** Starts the etcd of this machine with a data folder. */
export async function startEtcd(folder: string): Promise<Etcd> {
  const [client, peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const args = ['--data-dir', folder, '--listen-client-urls', client, '--advertise-client-urls', client];
  args.push('--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer);
  args.push('--initial-cluster', `default=${peer}`, '--unsafe-no-fsync');
  const until = /ready to serve client requests|serving insecure client requests/;
  return { url: client, process: await startProcess('etcd', { args, until }) };
}

/** Starts object-storage of Annex with a data folder. */
export async function startObjectStorage(folder: string): Promise<Etcd> {
  const args = [
    annexCommand,
    'object-storage',
    '--data-dir',
    folder,
    '--listen-client-urls',
    'http://127.0.0.1:0',
  ];
  const until = /object-storage is ready in \S+ s: (http:\S+)/;
  const running = await startProcess(process.execPath, { args, until });
  return { url: running.ready?.[1] ?? '', process: running };
}

// From artifacts/example of the project, with permissions for the resources that v0.36 watches in addition.
const manifests = readFileSync(new URL('sample-apiserver.yaml', import.meta.url), 'utf8');

/** The Go sample-apiserver, with a running store. */
export const sampleApiserver = (binary: string, etcd: () => string): Extension => ({
  name: 'sample-apiserver',
  group: 'wardle.example.com',
  version: 'v1alpha1',
  otherVersions: ['v1beta1'],
  resource: 'flunders',
  kind: 'Flunder',
  namespace: 'wardle',
  service: 'api',
  serviceAccount: 'apiserver',
  documented: { field: 'reference', words: 'A name of another flunder or fischer' },
  spec: { reference: 'other' },
  manifests,
  start: (setting) => start(binary, etcd(), setting),
});

function start(binary: string, etcd: string, setting: ExtensionSetting): Promise<RunningProcess> {
  const { certificate, key, kubeconfig, port } = setting;
  const options = {
    'etcd-servers': etcd,
    'bind-address': '0.0.0.0',
    'secure-port': String(port),
    'tls-cert-file': certificate,
    'tls-private-key-file': key,
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    // The default of ten seconds would delay the effect of a new permission.
    'authorization-webhook-cache-unauthorized-ttl': '1s',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  return startProcess(binary, { args, until: /Serving securely on/ });
}
