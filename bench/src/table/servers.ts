import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { freeRow, startProcess, tempFolder } from '@annex/testkit';
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

/** Starts kube-apiserver and etcd from a folder of programs. Both have their default durability: etcd calls fsync. */
export async function startReference(programs: string): Promise<Server> {
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
  const apiserver = stack.use(
    await startProcess(join(programs, 'kube-apiserver'), {
      args: apiserverFlags(join(folder.path, 'pki'), store, port),
      until: /Serving securely/,
    }),
  );
  const running = stack.move();
  return {
    name: 'kube-apiserver',
    config,
    pids: [apiserver.pid, etcd.pid],
    async [Symbol.asyncDispose]() {
      // kube-apiserver takes a minute to end by itself.
      apiserver.kill('SIGKILL');
      await running.disposeAsync();
    },
  };
}

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
