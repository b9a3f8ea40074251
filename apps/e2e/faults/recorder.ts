import { performance } from 'node:perf_hooks';
import type { KubeObject } from '@annex/machinery';
import type { History, Interval, List, Read, Version, Watch, Write } from './history.ts';

/** The objects of a history: ConfigMaps with one value. */
export interface Register extends KubeObject {
  data?: { value?: string };
}

/** Records what clients of one namespace send and receive. */
export class Recorder implements History {
  readonly path: string;
  readonly start: History['start'];
  readonly writes: Write[] = [];
  readonly reads: Read[] = [];
  readonly lists: List[] = [];
  readonly watches: Watch[] = [];
  /** Responses so far, refusals included. */
  responses = 0;
  #values = 0;
  #onResponse = () => {};

  /** Begins in an empty namespace, at this revision. */
  constructor(namespace: string, revision: number) {
    this.path = `/api/v1/namespaces/${namespace}/configmaps`;
    this.start = { revision, items: new Map() };
  }

  /** Returns a value that no other write has. */
  newValue(client: string): string {
    return `${client}-${++this.#values}`;
  }

  /** Runs a request, and resolves to its result and its times; the error in the place of a result. */
  async time<T>(
    client: string,
    run: () => Promise<T>,
  ): Promise<Interval & ({ result: T } | { error: unknown })> {
    const invokedAt = performance.now();
    try {
      const result = await run();
      this.#responded();
      return { client, invokedAt, returnedAt: performance.now(), result };
    } catch (error) {
      return { client, invokedAt, returnedAt: performance.now(), error };
    }
  }

  #responded(): void {
    this.responses++;
    this.#onResponse();
  }

  /** Resolves when this many more requests have a response. */
  moreResponses(count: number): Promise<void> {
    const wanted = this.responses + count;
    return new Promise((resolve) => {
      this.#onResponse = () => {
        if (this.responses >= wanted) resolve();
      };
    });
  }
}

/** Returns the version that an object shows; `undefined` for objects of others. */
export function versionOf({ data, metadata }: Register): Version | undefined {
  const { value } = data ?? {};
  return value === undefined ? undefined : { value, revision: Number(metadata.resourceVersion) };
}
