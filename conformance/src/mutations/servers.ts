import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { Client, loadKubeconfig } from '@annex/client';
import { freeRow, startProcess, tempFolder } from '@annex/testkit';
import { etcdFlags } from '../reference-etcd.ts';
import { annexCommand, startAnnex } from '../server.ts';

/** The two servers that are compared. */
export interface Servers extends AsyncDisposable {
  reference: Client;
  annex: Client;
}

/** Connects to servers that run, with the administrator's certificate of a folder. */
export function connectTo(reference: string, annex: string, pki: string): Servers {
  const file = (name: string): string => readFileSync(join(pki, name), 'utf8');
  const connect = (server: string): Client =>
    new Client({ server, ca: file('ca.crt'), cert: file('admin.crt'), key: file('admin.key') });
  const connected = { reference: connect(reference), annex: connect(annex) };
  return {
    ...connected,
    async [Symbol.asyncDispose]() {
      await Promise.all([connected.reference.close(), connected.annex.close()]);
    },
  };
}

/** Starts an empty Annex, and an empty kube-apiserver with etcd from a folder of programs. */
export async function startServers(programs: string): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const annex = stack.use(await startAnnex());
  const folder = stack.adopt(tempFolder('annex-mutations-'), (made) => made[Symbol.dispose]());
  const port = await freeRow(3);
  const [etcd, peer] = [`http://127.0.0.1:${port + 1}`, `http://127.0.0.1:${port + 2}`];
  const args = [annexCommand, 'pki', '--data-dir', folder.path, '--server', `https://127.0.0.1:${port}`];
  await (
    await startProcess(process.execPath, { args })
  ).exited;
  stack.use(
    await startProcess(join(programs, 'etcd'), {
      args: etcdFlags(join(folder.path, 'data'), etcd, peer),
      until: /ready to serve client requests/,
    }),
  );
  const server = await startProcess(join(programs, 'kube-apiserver'), {
    args: apiserverFlags(join(folder.path, 'pki'), etcd, port),
    until: /Serving securely/,
  });
  // kube-apiserver takes a minute to end by itself.
  stack.defer(async () => {
    server.kill('SIGKILL');
    await server.exited;
  });
  const clientOf = async (kubeconfig: string): Promise<Client> =>
    new Client(await loadKubeconfig(kubeconfig));
  const reference = await clientOf(join(folder.path, 'admin.kubeconfig'));
  const running = { reference, annex: await clientOf(annex.kubeconfig) };
  const stop = stack.move();
  return { ...running, [Symbol.asyncDispose]: () => stop.disposeAsync() };
}

/** The flags of the recordings, conformance/reference/start.sh. */
const apiserverFlags = (pki: string, etcd: string, port: number): string[] => [
  `--etcd-servers=${etcd}`,
  `--secure-port=${port}`,
  '--bind-address=127.0.0.1',
  `--tls-cert-file=${pki}/apiserver.crt`,
  `--tls-private-key-file=${pki}/apiserver.key`,
  `--client-ca-file=${pki}/ca.crt`,
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${pki}/sa.pub`,
  `--service-account-signing-key-file=${pki}/sa.key`,
  '--authorization-mode=RBAC',
  '--service-cluster-ip-range=10.0.0.0/16',
  '--disable-admission-plugins=ServiceAccount',
];
