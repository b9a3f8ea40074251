import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startMemoryEtcd } from '@annex/app-testkit';
import { freePorts, startProcess, tempFolder } from '@annex/testkit';
import { etcdFlags } from './reference-etcd.ts';
import { annexCommand, type SessionServer } from './server.ts';

const referenceEtcd = fileURLToPath(new URL('../../.cache/reference/bin/etcd', import.meta.url));

/**
 * Starts empty replicas on one etcd, or on the given one, without controllers. kubectl reaches them through a TCP load balancer.
 */
export async function startReplicas(count: number, given?: string): Promise<SessionServer> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(tempFolder('annex-replicas-'));
  const etcd = given ?? (await startEtcd(opened));
  const storage = ['--etcd-servers', etcd, '--etcd-prefix', `/${basename(folder.path)}`];
  const urls: string[] = [];
  // The first one makes the keys of all.
  for (let i = 0; i < count; i++) urls.push(await startReplica(opened, folder.path, storage));
  const url = await startBalancer(opened, urls);
  const kubeconfig = join(folder.path, 'balanced.kubeconfig');
  const text = readFileSync(join(folder.path, 'admin.kubeconfig'), 'utf8');
  writeFileSync(kubeconfig, text.replace(/https:\/\/[^"\s]+/, url), { mode: 0o600 });
  const running = opened.move();
  return {
    url,
    urls,
    pki: join(folder.path, 'pki'),
    kubeconfig,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startReplica(
  opened: AsyncDisposableStack,
  folder: string,
  storage: readonly string[],
): Promise<string> {
  const options = ['--data-dir', folder, ...storage, '--port', '0', '--controllers='];
  const annex = await startProcess(process.execPath, {
    args: [annexCommand, 'up', ...options, '--log-level', 'error'],
    until: /annex is ready in \S+ s: (https:\S+)/,
  });
  opened.defer(async () => void (await annex.stop()));
  return annex.ready?.[1] ?? '';
}

/** Starts the etcd that was built for the reference server; without it, the etcd server of Annex. */
async function startEtcd(opened: AsyncDisposableStack): Promise<string> {
  if (!existsSync(referenceEtcd)) {
    process.stderr.write(
      'SKIPPED replicas on etcd: conformance/reference/start.sh builds it. Using the etcd server of Annex.\n',
    );
    return await startMemoryEtcd(opened);
  }
  const folder = opened.use(tempFolder('annex-etcd-'));
  const [url, peer] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const etcd = await startProcess(referenceEtcd, {
    args: etcdFlags(folder.path, url, peer),
    until: /ready to serve client requests/,
  });
  opened.defer(async () => void (await etcd.stop()));
  return url;
}

/** Starts a TCP server that connects its clients to the servers in turn. */
async function startBalancer(opened: AsyncDisposableStack, urls: readonly string[]): Promise<string> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((client) => {
    const { hostname, port } = new URL(urls[turn++ % urls.length]!);
    const target = connect(Number(port), hostname);
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    client.on('error', () => target.destroy()).pipe(target);
    target.on('error', () => client.destroy()).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
