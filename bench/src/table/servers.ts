import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { freeRow, startProcess, tempFolder } from '@annex/testkit';
import { Api } from '../api.ts';
import { cpuMs } from '../process-facts.ts';
import { annexProgram, startAnnex } from '../target.ts';

/** A server with an empty store that the table starts and stops. */
export interface Server extends AsyncDisposable {
  name: string;
  config: ClientConfig;
  /** Its processes, including the store. */
  pids: readonly number[];
  /** It does nothing but respond, and runs only the rows that are marked for it. */
  isBare?: boolean;
}

/** Starts `annex up` without controllers, because kube-apiserver has none either. */
export async function startTableAnnex(
  cpuProfDir?: string,
  { name, program }: { name: string; program: string } = { name: 'annex', program: annexProgram },
): Promise<Server> {
  const folder = tempFolder('annex-bench-');
  const nodeArgs = cpuProfDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProfDir}`];
  const annex = await startAnnex(folder.path, ['--controllers=', '--log-level', 'error'], nodeArgs, program);
  return {
    name,
    config: await loadKubeconfig(join(folder.path, 'admin.kubeconfig')),
    pids: [annex.pid],
    async [Symbol.asyncDispose]() {
      await annex.stop();
      folder[Symbol.dispose]();
    },
  };
}

const bareServer = fileURLToPath(new URL('bare-server.ts', import.meta.url));

/** Starts a bare server of `node:http2`: no Annex can be faster. */
export async function startBareServer(): Promise<Server> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(tempFolder('annex-bench-bare-'), (made) => made[Symbol.dispose]());
  const config = await createKeys(folder.path, 'https://127.0.0.1:1');
  const bare = stack.use(
    await startProcess(process.execPath, { args: [bareServer, folder.path], until: /listens on (\d+)/ }),
  );
  const running = stack.move();
  return {
    name: 'bare node:http2',
    config: { ...config, server: `https://127.0.0.1:${bare.ready?.[1]}` },
    pids: [bare.pid],
    isBare: true,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Creates the keys and certificates of a server in a folder; resolves to the configuration of its administrator. */
async function createKeys(folder: string, server: string): Promise<ClientConfig> {
  const args = [annexProgram, 'pki', '--data-dir', folder, '--server', server];
  await (
    await startProcess(process.execPath, { args })
  ).exited;
  return await loadKubeconfig(join(folder, 'admin.kubeconfig'));
}

/** What a reference server has besides kube-apiserver on an empty etcd. */
export interface ReferenceOptions {
  /** Fills etcd, whose URL it gets, before kube-apiserver starts. */
  fill?: (etcd: string) => Promise<unknown>;
  /** The controllers that kube-controller-manager runs; without them, it is not started. */
  controllers?: string;
}

/** A reference server, and what its start took. */
export type ReferenceServer = Server & { start: { cpuMs: number; ms: number } };

/** Starts kube-apiserver and etcd from a folder of programs. Both have their default durability: etcd calls fsync. */
export async function startReference(
  programs: string,
  { fill, controllers }: ReferenceOptions = {},
): Promise<ReferenceServer> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(tempFolder('annex-bench-reference-'), (made) => made[Symbol.dispose]());
  const port = await freeRow(3);
  const config = await createKeys(folder.path, `https://127.0.0.1:${port}`);
  const store = `http://127.0.0.1:${port + 1}`;
  const etcd = stack.use(
    await startProcess(join(programs, 'etcd'), {
      args: etcdFlags(join(folder.path, 'data'), store, `http://127.0.0.1:${port + 2}`),
      until: /ready to serve client requests/,
    }),
  );
  await fill?.(store);
  const [cpu, began] = [cpuMs([etcd.pid]), performance.now()];
  const apiserver = stack.use(
    await startProcess(join(programs, 'kube-apiserver'), {
      args: apiserverFlags(join(folder.path, 'pki'), store, port),
      until: /Serving securely/,
    }),
  );
  // kube-apiserver takes a minute to end by itself.
  stack.defer(() => void apiserver.kill('SIGKILL'));
  await untilReady(config);
  const pids = [apiserver.pid, etcd.pid];
  const start = { cpuMs: cpuMs(pids) - cpu, ms: performance.now() - began };
  if (controllers !== undefined) {
    const manager = await startProcess(join(programs, 'kube-controller-manager'), {
      args: managerFlags(folder.path, controllers),
      until: /Caches are synced/,
    });
    pids.push(stack.use(manager).pid);
  }
  const running = stack.move();
  return {
    name: 'kube-apiserver',
    config,
    pids,
    start,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function untilReady(config: ClientConfig): Promise<void> {
  const api = new Api(config);
  while ((await api.send('GET', '/readyz')).status !== 200) await setTimeout(50);
  api.close();
}

const managerFlags = (folder: string, controllers: string): string[] => [
  `--kubeconfig=${join(folder, 'admin.kubeconfig')}`,
  `--controllers=${controllers}`,
  '--leader-elect=false',
  '--secure-port=0',
];

function etcdFlags(data: string, client: string, peer: string): string[] {
  return [
    `--data-dir=${data}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
  ];
}

/** The flags of the recordings, conformance/reference/start.sh. */
function apiserverFlags(pki: string, store: string, port: number): string[] {
  return [
    `--etcd-servers=${store}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--tls-cert-file=${pki}/apiserver.crt`,
    `--tls-private-key-file=${pki}/apiserver.key`,
    `--client-ca-file=${pki}/ca.crt`,
    `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
    `--proxy-client-key-file=${pki}/front-proxy-client.key`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pki}/sa.pub`,
    `--service-account-signing-key-file=${pki}/sa.key`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/16',
    '--disable-admission-plugins=ServiceAccount',
  ];
}
