import { Client, type ClientConfig } from '@annex/client';
import {
  type Change,
  endHistory,
  Follower,
  gapsOf,
  leftBy,
  type LoadedKind,
  readCollection,
  Writer,
} from './recorded-load.ts';

/** Returns a reproducible generator of numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const end = 'the-end';
const keyOf = ({ type, name, attempt, revision }: Change) => `${revision} ${type} ${name} ${attempt}`;

/** Several writers of one kind, and a follower that watches them, while the server fails and restarts. */
export class Load {
  readonly follower: Follower;
  readonly #client: Client;
  readonly #kind: LoadedKind;
  readonly #writers: Writer[];
  readonly #stopWriters = new AbortController();
  readonly #stopFollower = new AbortController();
  readonly #running: Promise<unknown>;
  readonly #following: Promise<void>;
  #changes = 0;
  #onChange = () => {};

  private constructor(config: ClientConfig, kind: LoadedKind, seed: number, writers: number, since: string) {
    this.#kind = kind;
    this.#client = new Client(config);
    this.follower = new Follower(config, since, kind);
    this.#writers = Array.from({ length: writers }, (_, i) => {
      const names = Array.from({ length: 4 }, (_, j) => `writer-${i}-object-${j}`);
      return new Writer(config, names, randomOf(seed + i + 1), kind);
    });
    this.#following = this.follower.run(this.#stopFollower.signal);
    const onResponse = () => {
      this.#changes++;
      this.#onChange();
    };
    this.#running = Promise.all(
      this.#writers.map((writer) => writer.run(this.#stopWriters.signal, onResponse)),
    );
  }

  static async start(config: ClientConfig, kind: LoadedKind, seed: number, writers: number): Promise<Load> {
    const client = new Client(config);
    const { revision } = await readCollection(client, kind);
    client.close();
    return new Load(config, kind, seed, writers, revision);
  }

  get acknowledged(): Change[] {
    return this.#writers.flatMap((writer) => writer.acknowledged);
  }

  get unresponded(): Change[] {
    return this.#writers.flatMap((writer) => writer.unresponded);
  }

  /** Resolves when `count` more changes have a response. */
  someChanges(count: number): Promise<void> {
    const until = this.#changes + count;
    return new Promise((resolve) => {
      this.#onChange = () => {
        if (this.#changes >= until) resolve();
      };
    });
  }

  /** Ends writers and follower, and resolves to lost, duplicate and unexpected changes. */
  async problems(): Promise<string[]> {
    this.#stopWriters.abort();
    await this.#running;
    await endHistory(this.#client, end, this.#kind);
    await this.follower.sees(end);
    this.#stopFollower.abort();
    await this.#following;
    const { present } = await readCollection(this.#client, this.#kind);
    this.#client.close();
    const expected = [...this.#writers.flatMap((writer) => writer.present()), [end, 1] as [string, number]];
    return [
      ...this.#writers.flatMap((writer) => writer.violations),
      ...gapsOf(this.follower.changes),
      ...this.#unseen().map((change) => `never seen: ${keyOf(change)}`),
      ...difference('in the collection', present, expected),
      ...difference('by the history', leftBy(this.follower.changes), expected),
    ];
  }

  /** Returns acknowledged changes that the follower did not receive, and changes that were not requested. */
  #unseen(): Change[] {
    const history = this.follower.changes;
    const seen = new Set(history.map(keyOf));
    const lost = this.acknowledged.filter((change) => change.type !== 'DELETED' && !seen.has(keyOf(change)));
    const deletions = (list: readonly Change[]) => list.filter(({ type }) => type === 'DELETED');
    const missing = deletions(this.acknowledged).length - deletions(history).length;
    return missing > 0 ? [...lost, ...deletions(this.acknowledged).slice(0, missing)] : lost;
  }
}

function difference(
  where: string,
  found: readonly [string, number][],
  expected: readonly [string, number][],
) {
  const [left, right] = [new Map(found), new Map(expected)];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((name) => left.get(name) !== right.get(name))
    .map((name) => `${name} ${where}: ${left.get(name)} instead of ${right.get(name)}`);
}
