import { loadKubeconfig } from '@annex/client';
import { expect, it } from 'vitest';
import { startSingle } from '../runners/single-runner.ts';
import { Load, randomOf } from './load.ts';
import { configMaps } from './recorded-load.ts';

const kills = 10;
/** Number of recent changes that a watch can replay; a starting server reads at most a thousand. */
const recent = 500;

it('acknowledged writes survive ten kills under load, and the history has no gap', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = randomOf(seed);
  await using annex = await startSingle();
  const load = await Load.start(await loadKubeconfig(annex.kubeconfig), configMaps, seed, 8);
  for (let i = 0; i < kills; i++) {
    await load.someChanges(20 + Math.floor(random() * 300));
    await annex.restart('SIGKILL');
  }
  const why = `seed ${seed}`;
  expect(await load.problems(), why).toEqual([]);
  expect(load.acknowledged.length, why).toBeGreaterThan(kills * 20);
  expect(load.unresponded.length, why).toBeGreaterThan(0);
  expect(load.follower.expired, why).toBe(0);
  const { length } = load.follower.changes;
  expect(length, why).toBeLessThanOrEqual(load.acknowledged.length + load.unresponded.length + 1);
  expect(await load.replayed(recent), why).toEqual([]);
});
