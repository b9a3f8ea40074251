import { Client, type ClientConfig } from '@annex/client';
import { randomOf } from '../suites/load.ts';
import { checkHistory } from './check-history.ts';
import type { Fault } from './faults.ts';
import type { History } from './history.ts';
import { RandomClient } from './random-client.ts';
import { RandomWatcher } from './random-watcher.ts';
import { Recorder } from './recorder.ts';

/** Enough clients for few objects that they often get into each other's way. */
const [clientCount, watcherCount, keyCount] = [8, 3, 10];
/** Responses between two faults. */
const [fewest, most] = [20, 200];

export interface RoundOptions {
  /** The servers that clients choose from for each request. */
  servers: readonly ClientConfig[];
  faults: readonly Fault[];
  faultCount: number;
  seed: number;
  /** A new namespace. */
  namespace: string;
}

export interface RoundResult {
  history: History;
  /** What a server must not do; see {@link checkHistory}. */
  violations: string[];
  /** The faults that happened, in order. */
  faults: string[];
  /** True if no watch could receive every change, because the server had forgotten some: nothing was checked. */
  isExpired: boolean;
}

/** Lets clients work in a new namespace while faults happen, and checks what they saw. */
export async function runRound(options: RoundOptions): Promise<RoundResult> {
  const { namespace, seed } = options;
  const random = randomOf(seed);
  const servers = options.servers.map((config) => new Client(config));
  const [admin] = servers as [Client];
  await admin.json({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } });
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const { metadata } = await admin.json<{ metadata: { resourceVersion: string } }>({ path });
  const recorder = new Recorder(namespace, Number(metadata.resourceVersion));
  const keys = Array.from({ length: keyCount }, (_, i) => `object-${i}`);
  const watcher = (name: string) => new RandomWatcher(name, servers, randomOf(random() * 2 ** 31), recorder);
  const follower = watcher('follower');
  const [working, watching] = [new AbortController(), new AbortController()];
  const watches = [
    follower.follow(watching.signal),
    ...Array.from({ length: watcherCount }, (_, i) => watcher(`watcher-${i}`).run(watching.signal)),
  ];
  const clients = Array.from({ length: clientCount }, (_, i) =>
    new RandomClient(`client-${i}`, servers, keys, randomOf(random() * 2 ** 31), recorder).run(
      working.signal,
    ),
  );
  const faults: string[] = [];
  const deck = dealtInTurns(options.faults, random);
  try {
    for (let i = 0; i < options.faultCount; i++) {
      await recorder.moreResponses(fewest + Math.floor(random() * (most - fewest)));
      const fault = deck.next().value!;
      faults.push(fault.name);
      await fault.happen(random).catch((cause: unknown) => {
        throw new Error(`the fault "${fault.name}" failed after ${faults.join(', ')}`, { cause });
      });
    }
    await recorder.moreResponses(fewest);
  } catch (error) {
    watching.abort();
    throw error;
  } finally {
    working.abort();
  }
  await Promise.all(clients);
  await writeLast(admin, recorder, () => follower.sees('the-end'));
  watching.abort();
  await Promise.all(watches);
  for (const server of servers) server.close();
  const isExpired = follower.expired > 0;
  return { history: recorder, violations: isExpired ? [] : checkHistory(recorder), faults, isExpired };
}

/** Deals all items in a random order, then all again in another one, without end: a round with enough faults has each of them. */
function* dealtInTurns<T>(items: readonly T[], random: () => number): Generator<T, undefined> {
  for (;;) {
    const left = [...items];
    while (left.length > 0) yield left.splice(Math.floor(random() * left.length), 1)[0]!;
  }
}

/** Writes an object that ends the history, and resolves when the follower has received it. */
async function writeLast(admin: Client, recorder: Recorder, seen: () => Promise<void>): Promise<void> {
  const last = new RandomClient('last', [admin], ['the-end'], () => 0, recorder);
  await last.createAll();
  await seen();
}
