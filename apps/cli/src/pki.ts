import { join, resolve } from 'node:path';
import {
  ensurePki,
  openPkiDirectory,
  type PkiFiles,
  type PkiPair,
  writeFileAtomically,
  writeKubeconfig,
} from '@annex/auth';
import { makeDirectory } from '@annex/runtime';
import { stringify } from 'yaml';
import { readCommandLine } from './command-line.ts';
import { reportErrors } from './report-errors.ts';
import { copyServiceKeys, egressSelectorFile } from './service-keys.ts';
import { type PkiConfig, pkiConflicts, pkiOptions } from './pki-options.ts';

/** `annex pki`: creates the keys and certificates of separate processes. Resolves to the exit code. */
export async function runPki(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const syntax = {
    usage: 'annex pki [options]',
    options: pkiOptions,
    conflicts: pkiConflicts,
    words: { min: 0, max: 0 },
  };
  const line = readCommandLine(syntax, argv, env);
  if ('exitCode' in line) return line.exitCode;
  const { config } = line;
  try {
    const issued = await makePki(config);
    const made = issued.length === 0 ? 'nothing to create' : `made ${issued.join(', ')}`;
    process.stdout.write(`keys and certificates are in ${join(config.dataDir, 'pki')}: ${made}\n`);
    return 0;
  } catch (error) {
    return reportErrors([error]);
  }
}

const thisMachine = ['localhost', '127.0.0.1', '::1'];

/** Creates files that are missing or about to expire, and only reads the rest. Resolves to the names of the new files. */
export async function makePki(config: PkiConfig): Promise<string[]> {
  const dataDir = resolve(config.dataDir);
  const dir = join(dataDir, 'pki');
  makeDirectory(dataDir);
  const issued: string[] = [];
  const main = await ensurePki(dir, {
    subjectAltNames: config.subjectAltNames,
    onIssued: (name) => issued.push(name),
  });
  const ca = Promise.resolve(main.ca);
  const directory = await openPkiDirectory(dir, { onIssued: (name) => issued.push(name) });
  const client = (name: string, user: string, groups: string[] = []) =>
    directory.client(name, ca, { user, groups });
  const clients = [
    {
      name: 'controllers',
      user: controllersUser,
      pair: client('controller-manager', controllersUser, ['system:masters']),
    },
    { name: 'fake-nodes', user: fakeNodesUser, pair: client('fake-nodes', fakeNodesUser) },
    // The default roles of its user are enough.
    { name: 'scheduler', user: schedulerUser, pair: client('kube-scheduler', schedulerUser) },
  ];
  await Promise.all([
    ...config.apps.map((app) => directory.serving(app, ca, [app, ...thisMachine])),
    ...Object.entries(ownPkis(config)).map(([folder, own]) =>
      makeOwnPki(join(dir, folder), own, (name) => issued.push(`${folder}/${name}`)),
    ),
    writeFileAtomically(join(dataDir, egressSelectorFile), egressSelector(config.konnectivitySocket), 0o600),
    writeKubeconfigs(dataDir, config, main, clients),
  ]);
  if (config.serviceKeys) await copyServiceKeys(dataDir);
  return issued.sort();
}

const ownPkis = (config: PkiConfig): Record<string, OwnPki> => ({
  etcd: {
    ca: 'etcd-ca',
    names: config.etcdSubjectAltNames,
    client: 'client',
    user: 'kube-apiserver-etcd-client',
  },
  konnectivity: {
    ca: 'konnectivity-ca',
    names: config.konnectivitySubjectAltNames,
    client: 'agent',
    user: 'konnectivity-agent',
  },
});

/** Certificates of a CA of their own: a user of the cluster is neither etcd's client nor an agent. */
interface OwnPki {
  ca: string;
  names: readonly string[];
  /** The file and the user of the client. */
  client: string;
  user: string;
}

async function makeOwnPki(
  dir: string,
  { ca: caName, client, names, user }: OwnPki,
  onIssued: (name: string) => void,
): Promise<void> {
  const directory = await openPkiDirectory(dir, { onIssued });
  const ca = directory.ca('ca', caName);
  await Promise.all([
    directory.serving('server', ca, [...names, ...thisMachine]),
    directory.client(client, ca, { user }),
  ]);
}

/** The configuration of `--egress-selector-config-file` for a Konnectivity server with this socket. */
const egressSelector = (udsName: string): string =>
  stringify({
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [
      { name: 'cluster', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName } } } },
    ],
  });

const controllersUser = 'system:kube-controller-manager';
const fakeNodesUser = 'annex:fake-nodes';
const schedulerUser = 'system:kube-scheduler';

/** A program that is a client of the front proxy. */
interface ClientProgram {
  name: string;
  user: string;
  pair: Promise<PkiPair>;
}

async function writeKubeconfigs(
  dataDir: string,
  config: PkiConfig,
  { ca, admin }: PkiFiles,
  clients: readonly ClientProgram[],
): Promise<void> {
  const write = (name: string, server: string, { cert, key }: PkiPair, user?: string) =>
    writeKubeconfig(join(dataDir, `${name}.kubeconfig`), {
      server,
      caData: ca.cert,
      cert,
      key,
      ...(user === undefined ? {} : { user }),
    });
  await Promise.all([
    write('admin', config.server, admin),
    ...clients.map(async ({ name, user, pair }) => write(name, config.controllersServer, await pair, user)),
  ]);
}
