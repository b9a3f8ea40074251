import { setTimeout } from 'node:timers/promises';
import type { Client } from '@annex/client';
import { isReason } from '@annex/machinery';
import type { Watch } from './history.ts';
import { type Recorder, type Register, versionOf } from './recorder.ts';

const retryMs = 20;
/** The most recent changes that a watch asks for again: servers keep some hundred after they start. */
const recent = 200;

/** Watches all objects, across disconnections. */
export class RandomWatcher {
  readonly #name: string;
  readonly #servers: readonly Client[];
  readonly #random: () => number;
  readonly #recorder: Recorder;
  /** The revisions that it has received, ascending. */
  readonly #revisions: number[];
  readonly #wakers = new Set<() => void>();
  readonly #seen = new Set<string>();
  /** Responses that the revision is too old. */
  expired = 0;

  constructor(name: string, servers: readonly Client[], random: () => number, recorder: Recorder) {
    this.#name = name;
    this.#servers = servers;
    this.#random = random;
    this.#recorder = recorder;
    this.#revisions = [recorder.start.revision];
  }

  /** Watches until the signal aborts, each time from the last received revision: it receives every change. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) await this.#watch(this.#revisions.at(-1)!, Infinity, signal);
  }

  /** Watches until the signal aborts, each time some events from a random recent revision. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const back = this.#random() < 0.5 ? 1 : 1 + Math.floor(this.#random() * recent);
      const from = this.#revisions.at(-back) ?? this.#revisions[0]!;
      await this.#watch(from, 1 + Math.floor(this.#random() * 2 * recent), signal);
    }
  }

  /** Resolves when an event of an object with this name has been received. */
  sees(key: string): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.#seen.has(key)) resolve();
      };
      this.#wakers.add(check);
      check();
    });
  }

  async #watch(from: number, length: number, signal: AbortSignal): Promise<void> {
    const server = this.#servers[Math.floor(this.#random() * this.#servers.length)]!;
    const received: Watch['received'][number][] = [];
    try {
      const options = { resourceVersion: String(from), allowWatchBookmarks: true, signal };
      for await (const { type, object } of server.watch<Register>(this.#recorder.path, options)) {
        const revision = Number(object.metadata.resourceVersion);
        const version = versionOf(object);
        if (type === 'BOOKMARK') received.push({ type, revision });
        else if (version !== undefined) {
          const key = object.metadata.name!;
          received.push({ type, key, value: version.value, revision });
          this.#seen.add(key);
          for (const wake of this.#wakers) wake();
        }
        if (revision > this.#revisions.at(-1)!) this.#revisions.push(revision);
        if (received.length >= length) break;
      }
    } catch (error) {
      if (isReason(error, 'Expired')) this.expired++;
      await setTimeout(retryMs);
    }
    if (received.length > 0) this.#recorder.watches.push({ client: this.#name, from, received });
  }
}
