import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startMemoryEtcd } from '@annex/app-testkit';
import { Client, loadKubeconfig } from '@annex/client';
import { freePorts, type RunningProcess, startBalancer, startProcess, tempFolder } from '@annex/testkit';
import { annexCommand, annexNode } from './annex-command.ts';
import type { Runner, RunnerOptions } from './runner.ts';
import { giveKeys } from './shared-keys.ts';

const names = ['annex-1', 'annex-2'] as const;

/**
 * Starts two replicas of `annex up` on one etcd behind a TCP load balancer. A restart of all of them restarts one after the other, as
 * operators do.
 */
export async function startReplicas(options: RunnerOptions = {}): Promise<Runner> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(tempFolder('annex-e2e-', options.parent));
  giveKeys(folder.path);
  const etcd = await startMemoryEtcd(opened);
  const ports = await freePorts(names.length);
  const replicas = new Map<string, Replica>();
  for (const [i, name] of names.entries()) {
    replicas.set(
      name,
      opened.use(await Replica.start({ name, port: ports[i]!, folder: folder.path, etcd, options })),
    );
  }
  const all = [...replicas.values()];
  const balancer = opened.use(await startBalancer(() => all));
  const kubeconfig = join(folder.path, 'balanced.kubeconfig');
  const text = readFileSync(join(folder.path, 'admin.kubeconfig'), 'utf8');
  writeFileSync(kubeconfig, text.replace(/https:\/\/[^"\s]+/, balancer.url), { mode: 0o600 });
  const running = opened.move();
  const stop = () => running.disposeAsync();
  return {
    url: balancer.url,
    apps: () => new Map(),
    kubeconfig,
    pki: join(folder.path, 'pki'),
    dataDir: folder.path,
    lines: () => all.flatMap((replica) => replica.lines),
    pids: () => new Map(all.map(({ name, pid }) => [name, pid])),
    kill: (name, signal) => replicas.get(name)!.end(signal ?? 'SIGKILL'),
    async restart(signal = 'SIGTERM', name) {
      for (const replica of name === undefined ? all : [replicas.get(name)!]) {
        await replica.end(signal);
        await replica.begin();
        await balancer.until(replica.url, true);
      }
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface ReplicaOptions {
  name: string;
  port: number;
  folder: string;
  etcd: string;
  options: RunnerOptions;
}

/** One replica: it keeps its port over restarts. */
class Replica implements AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly #options: ReplicaOptions;
  readonly #before: string[] = [];
  #running: RunningProcess | undefined;
  #admin: Client | undefined;

  constructor(options: ReplicaOptions) {
    this.name = options.name;
    this.url = `https://127.0.0.1:${options.port}`;
    this.#options = options;
  }

  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options);
    await replica.begin();
    return replica;
  }

  get pid(): number {
    return this.#running?.pid ?? -1;
  }

  get lines(): string[] {
    return [...this.#before, ...(this.#running?.lines ?? [])];
  }

  async begin(): Promise<void> {
    const { folder, etcd, port, options } = this.#options;
    const args = [annexCommand, 'up', '--data-dir', folder, '--port', String(port), `--etcd-servers=${etcd}`];
    args.push(`--controllers=${options.controllers ?? ''}`, '--shutdown-delay-duration=500ms');
    args.push(...(options.args ?? []));
    this.#running = await startProcess(options.node ?? annexNode, {
      args,
      env: { ...process.env, ...options.env },
      until: /annex is ready/,
    });
    this.#admin ??= new Client({
      ...(await loadKubeconfig(join(folder, 'admin.kubeconfig'))),
      server: this.url,
    });
  }

  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | undefined> {
    const ended = this.#running;
    this.#running = undefined;
    this.#before.push(...(ended?.lines ?? []));
    return await ended?.stop(signal);
  }

  async isReady(): Promise<boolean> {
    const response = await this.#admin?.send({ path: '/readyz', timeoutMs: 2000 }).catch(() => undefined);
    return response?.status === 200;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#admin?.close();
    await this.end('SIGTERM');
  }
}
