import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import type { Runner } from './runner.ts';

const reference = fileURLToPath(new URL('../../../conformance/reference/', import.meta.url));
const binaries = fileURLToPath(new URL('../../../.cache/reference/bin', import.meta.url));

/** True where the reference server was built; else says which suite is skipped for lack of it. */
export function requireReference(suite: string): boolean {
  if (existsSync(join(binaries, 'kube-apiserver')) && existsSync(join(binaries, 'etcd'))) return true;
  process.stderr.write(`SKIPPED ${suite}: no kube-apiserver; conformance/reference/start.sh builds it\n`);
  return false;
}

/** Starts a real kube-apiserver, with etcd, in the place of Annex. */
export async function startReference(): Promise<Runner> {
  const folder = tempFolder('annex-reference-');
  const [data, port] = [join(folder.path, 'etcd'), await freeRow(3)];
  mkdirSync(data, { mode: 0o700 });
  symlinkSync(binaries, join(folder.path, 'bin'));
  const before: string[] = [];
  const start = (): Promise<RunningProcess> =>
    startProcess('bash', {
      args: [join(reference, 'start.sh'), String(port), folder.path, data],
      until: /the reference server is ready/,
    });
  let running = await start();
  const stop = async () => {
    await running.stop();
    folder[Symbol.dispose]();
  };
  return {
    url: `https://127.0.0.1:${port}`,
    apps: () => new Map(),
    kubeconfig: join(folder.path, 'admin.kubeconfig'),
    pki: join(folder.path, 'pki'),
    dataDir: folder.path,
    lines: () => [...before, ...running.lines],
    pids: () => new Map([['reference', running.pid]]),
    kill: async (_name, signal) => void (await running.stop(signal)),
    async restart(signal) {
      await running.stop(signal);
      before.push(...running.lines);
      running = await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The first of so many free ports in a row. */
async function freeRow(length: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    const others = Array.from({ length: length - 1 }, (_, i) => first + 1 + i);
    if ((await Promise.all(others.map(isFree))).every(Boolean)) return first;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
