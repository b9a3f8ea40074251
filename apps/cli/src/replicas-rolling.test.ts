import { setTimeout } from 'node:timers/promises';
import { Client, loadKubeconfig } from '@annex/client';
import { startBalancer } from '@annex/testkit';
import { expect, it } from 'vitest';
import { runReplicas } from './replicas.fixture.ts';
import { runAnnex, type RunningAnnex } from './running-annex.fixture.ts';

/** Asks as an administrator. */
const isReady = async ({ admin }: RunningAnnex): Promise<boolean> =>
  (await admin.send({ path: '/readyz' }).catch(() => undefined))?.status === 200;

const configMaps = '/api/v1/namespaces/default/configmaps';

it('replicas behind a load balancer are restarted one after the other without a failed request', async () => {
  await using running = await runReplicas('--shutdown-delay-duration=1500ms');
  const replicas: RunningAnnex[] = [...running.replicas];
  await using opened = new AsyncDisposableStack();
  const balancer = opened.use(
    await startBalancer(() => replicas.map((one) => ({ url: one.url, isReady: () => isReady(one) }))),
  );
  const config = { ...(await loadKubeconfig(replicas[0]!.kubeconfig)), server: balancer.url };

  const failures: string[] = [];
  let [served, isOver] = [0, false];
  // As many clients as there are protocols: one connection each, or several.
  const work = async (client: Client, worker: number) => {
    for (let i = 0; !isOver; i++) {
      const name = `w-${worker}-${i}`;
      const requests = [
        { method: 'POST', path: configMaps, body: { metadata: { name } } },
        { path: `${configMaps}/${name}` },
        { method: 'DELETE', path: `${configMaps}/${name}` },
      ];
      for (const request of requests) {
        // Many requests in each phase of a shutdown, and a processor that has time for the balancer's probes.
        await setTimeout(10);
        const response = await client.send(request).catch((error: unknown) => ({ status: String(error) }));
        if (response.status === 200 || response.status === 201) served++;
        else failures.push(`${request.method ?? 'GET'} ${name}: ${response.status}`);
      }
    }
  };
  const clients = (['h2', 'http/1.1'] as const).map(
    (protocol) => new Client({ ...config, protocol } as never),
  );
  for (const client of clients) opened.defer(() => client.close());
  const working = [0, 1, 2, 3].map((worker) => work(clients[worker % 2]!, worker));

  for (const [i, replica] of running.replicas.entries()) {
    const before = served;
    await replica.stop();
    expect(served).toBeGreaterThan(before);
    const again = await runAnnex(...running.args);
    opened.defer(() => again.stop());
    replicas[i] = again;
    await balancer.until(again.url, true);
  }
  isOver = true;
  await Promise.all(working);
  expect(failures.join('\n')).toBe('');
}, 60_000);
