import { Client, type ClientConfig, loadKubeconfig } from '@annex/client';
import { expect, it } from 'vitest';
import { startSingle } from '../runners/single-runner.ts';
import {
  type Change,
  endHistory,
  Follower,
  gapsOf,
  leftBy,
  readCollection,
  Writer,
} from './recorded-load.ts';

const kills = 20;

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const byName = (present: readonly [string, number][]) => Object.fromEntries(present);
const keyOf = ({ type, name, attempt, revision }: Change) => `${revision} ${type} ${name} ${attempt}`;

/** So many of the last changes can be read again; a server that starts reads no more than a thousand. */
const recent = 500;

/** The history since a revision, up to the object that ends it. */
async function replay(config: ClientConfig, revision: string, end: string): Promise<Change[]> {
  const follower = new Follower(config, revision);
  const stopped = new AbortController();
  const running = follower.run(stopped.signal);
  await follower.sees(end);
  stopped.abort();
  await running;
  return follower.changes;
}

it(
  'what was acknowledged survives twenty kills under load, and the history has no gap',
  { timeout: 120_000 },
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const random = randomOf(seed);
    await using annex = await startSingle();
    const config = await loadKubeconfig(annex.kubeconfig);
    const client = new Client(config);
    const { revision } = await readCollection(client);
    const follower = new Follower(config, revision);
    const stopWriters = new AbortController();
    const stopFollower = new AbortController();
    const following = follower.run(stopFollower.signal);

    let changes = 0;
    let onChange = () => {};
    const someChanges = (count: number) =>
      new Promise<void>((resolve) => {
        const until = changes + count;
        onChange = () => void (++changes >= until && resolve());
      });
    const writers = Array.from({ length: 8 }, (_, i) => {
      const names = Array.from({ length: 4 }, (_, j) => `writer-${i}-object-${j}`);
      return new Writer(config, names, randomOf(seed + i + 1));
    });
    const writing = Promise.all(writers.map((writer) => writer.run(stopWriters.signal, () => onChange())));
    for (let i = 0; i < kills; i++) {
      await someChanges(20 + Math.floor(random() * 200));
      await annex.restart('SIGKILL');
    }
    stopWriters.abort();
    await writing;
    await endHistory(client, 'the-end');
    await follower.sees('the-end');
    stopFollower.abort();
    await following;

    const why = `seed ${seed}`;
    const history = follower.changes;
    const acknowledged = writers.flatMap((writer) => writer.acknowledged);
    const unanswered = writers.flatMap((writer) => writer.unanswered);
    expect(acknowledged.length, why).toBeGreaterThan(kills * 20);
    expect(unanswered.length, why).toBeGreaterThan(0);
    expect(
      writers.flatMap((writer) => writer.violations),
      why,
    ).toEqual([]);
    expect(follower.expired, why).toBe(0);
    expect(gapsOf(history), why).toEqual([]);

    const seen = new Set(history.map(keyOf));
    expect(
      acknowledged.filter((change) => change.type !== 'DELETED' && !seen.has(keyOf(change))),
      why,
    ).toEqual([]);
    const deletions = (list: readonly Change[]) => list.filter(({ type }) => type === 'DELETED').length;
    expect(deletions(history), why).toBeGreaterThanOrEqual(deletions(acknowledged));
    expect(history.length, why).toBeLessThanOrEqual(acknowledged.length + unanswered.length + 1);

    const { present } = await readCollection(client);
    const expected = { ...byName(writers.flatMap((writer) => writer.present())), 'the-end': 1 };
    expect(byName(present), why).toEqual(expected);
    expect(byName(leftBy(history)), why).toEqual(expected);
    const since = String(history.at(-recent - 1)?.revision);
    const replayed = await replay(config, since, 'the-end');
    expect(replayed.map(keyOf), why).toEqual(history.slice(-recent).map(keyOf));
    client.close();
  },
);
