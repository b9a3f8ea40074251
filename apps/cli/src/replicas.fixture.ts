import { startMemoryEtcd } from '@annex/app-testkit';
import type { Client } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { tempFolder } from '@annex/testkit';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

/** Two replicas of `annex up` on one etcd, with the same keys. */
export interface Replicas extends AsyncDisposable {
  replicas: readonly [RunningAnnex, RunningAnnex];
  clients: readonly [Client, Client];
  /** The options of both. */
  args: readonly string[];
  /** The client of the next replica, in turn. */
  next(): Client;
}

/** Starts them on the etcd of `ANNEX_TEST_ETCD`, its servers and further options, or on an etcd server of this process. */
export async function runReplicas(...args: readonly string[]): Promise<Replicas> {
  await using opened = new AsyncDisposableStack();
  const [etcd, ...more] = process.env.ANNEX_TEST_ETCD?.split(' ') ?? [await startMemoryEtcd(opened)];
  const shared = [
    `--etcd-servers=${etcd}`,
    ...more,
    `--etcd-prefix=/replicas-${process.pid}-${Date.now()}`,
    ...args,
  ];
  const folder = opened.use(tempFolder());
  shared.push('--data-dir', folder.path);
  const first = await runAnnex(...shared);
  opened.defer(() => first.stop());
  const second = await runAnnex(...shared, '--advertise-address=127.0.0.2');
  opened.defer(() => second.stop());
  const clients = [first.admin, second.admin] as const;
  let turn = 0;
  const running = opened.move();
  return {
    replicas: [first, second],
    args: shared,
    clients,
    next: () => clients[turn++ % 2]!,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** An object of `kubectl create`. */
export const post = (client: Client, path: string, body: object): Promise<KubeObject> =>
  client.json<KubeObject>({ method: 'POST', path, body });
