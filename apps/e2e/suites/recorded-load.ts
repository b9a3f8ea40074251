import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';

/** How long a client waits that found nobody at home. */
const retryMs = 25;
/** How long a client waits for an answer; longer than a server tries to reach another one. */
const timeoutMs = 20_000;

/** A change of one object. */
export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  name: string;
  /** Counts the attempts of the writer of that object. */
  attempt: number;
  /** The attempt that made what this one replaced; 0 where there was nothing. */
  replaced: number;
  /** Unknown for deletions that were answered, and for what was never answered. */
  revision?: number;
}

/** What is written: objects of any kind that have texts in `data`. */
export interface LoadedKind {
  apiVersion: string;
  kind: string;
  /** Its collection. */
  path: string;
}

export const configMaps: LoadedKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  path: '/api/v1/namespaces/default/configmaps',
};

interface ConfigMap extends KubeObject {
  data: { attempt: string; replaced: string };
}

/** The controllers write to collections too. */
const isLoad = ({ data }: ConfigMap) => data?.attempt !== undefined;

const changeOf = (type: Change['type'], { metadata, data }: ConfigMap): Change => ({
  type,
  name: metadata.name ?? '',
  attempt: Number(data.attempt),
  replaced: Number(data.replaced),
  revision: Number(metadata.resourceVersion),
});

const mergePatch = { 'content-type': 'application/merge-patch+json' };

const objectOf = ({ apiVersion, kind }: LoadedKind, name: string, attempt: number, replaced: number) => ({
  apiVersion,
  kind,
  metadata: { name },
  data: { attempt: String(attempt), replaced: String(replaced) },
});

/** Writes the objects of its own, one change after the other, and keeps record of what it was told. */
export class Writer {
  /** What the server said is done. */
  readonly acknowledged: Change[] = [];
  /** What was sent and never answered: it may be done or not, but nothing in between. */
  readonly unresponded: Change[] = [];
  /** What the server showed and could not have. */
  readonly violations: string[] = [];
  readonly #client: Client;
  readonly #names: readonly string[];
  readonly #random: () => number;
  readonly #attempts = new Map<string, number>();
  /** The attempt that made what is there now; 0 for nothing. */
  readonly #present = new Map<string, number>();
  /** The last change of an object, while nobody knows whether it came to pass. */
  readonly #open = new Map<string, Change>();
  readonly #loaded: LoadedKind;

  constructor(config: ClientConfig, names: readonly string[], random: () => number, loaded: LoadedKind) {
    this.#client = new Client(config);
    this.#loaded = loaded;
    this.#names = names;
    this.#random = random;
  }

  /** Writes until the signal aborts, and finds out then what became of what was not answered. */
  async run(signal: AbortSignal, onResponse: () => void): Promise<void> {
    while (!signal.aborted || this.#open.size > 0) {
      const names = signal.aborted ? [...this.#open.keys()] : this.#names;
      const name = names[Math.floor(this.#random() * names.length)] as string;
      const responded = await (this.#open.has(name) ? this.#settle(name) : this.#change(name));
      if (responded) onResponse();
      else await setTimeout(retryMs);
    }
    this.#client.close();
  }

  /** What must be there: the attempts by name. */
  present(): [name: string, attempt: number][] {
    return [...this.#present].filter(([, attempt]) => attempt > 0);
  }

  async #change(name: string): Promise<boolean> {
    const replaced = this.#present.get(name) ?? 0;
    const attempt = (this.#attempts.get(name) ?? 0) + 1;
    this.#attempts.set(name, attempt);
    const type = replaced === 0 ? 'ADDED' : this.#random() < 0.7 ? 'MODIFIED' : 'DELETED';
    const change: Change = { type, name, attempt, replaced };
    try {
      const { metadata } = await this.#send(change);
      const revision = type === 'DELETED' ? {} : { revision: Number(metadata.resourceVersion) };
      this.acknowledged.push({ ...change, ...revision });
      this.#present.set(name, type === 'DELETED' ? 0 : attempt);
      return true;
    } catch {
      this.unresponded.push(change);
      this.#open.set(name, change);
      return false;
    }
  }

  #send({ type, name, attempt, replaced }: Change): Promise<ConfigMap> {
    const path = type === 'ADDED' ? this.#loaded.path : `${this.#loaded.path}/${name}`;
    const method = { ADDED: 'POST', MODIFIED: 'PATCH', DELETED: 'DELETE' }[type];
    const body = type === 'DELETED' ? {} : { body: objectOf(this.#loaded, name, attempt, replaced) };
    return this.#client.json<ConfigMap>({
      method,
      path,
      timeoutMs,
      ...body,
      ...(type === 'MODIFIED' ? { headers: mergePatch } : {}),
    });
  }

  async #settle(name: string): Promise<boolean> {
    const { type, attempt, replaced } = this.#open.get(name) as Change;
    const found = await this.#read(name);
    if (found === undefined) return false;
    const wanted = type === 'DELETED' ? 0 : attempt;
    if (found !== wanted && found !== replaced) {
      this.violations.push(`${name}: found ${found} after ${type} ${attempt} of ${replaced}`);
    }
    this.#present.set(name, found);
    this.#open.delete(name);
    return true;
  }

  /** The attempt that made what is there; 0 for nothing, `undefined` where the server does not answer. */
  async #read(name: string): Promise<number | undefined> {
    try {
      const { data } = await this.#client.json<ConfigMap>({
        path: `${this.#loaded.path}/${name}`,
        timeoutMs,
      });
      return Number(data.attempt);
    } catch (error) {
      return isReason(error, 'NotFound') ? 0 : undefined;
    }
  }
}

/** Follows the collection over every end of its connection, always from the last revision that it saw. */
export class Follower {
  readonly changes: Change[] = [];
  /** How often the server said that it no longer knows the changes since then. */
  expired = 0;
  #revision: string;
  readonly #client: Client;
  readonly #loaded: LoadedKind;
  readonly #wakers = new Set<() => void>();

  constructor(config: ClientConfig, revision: string, loaded: LoadedKind) {
    this.#client = new Client(config);
    this.#loaded = loaded;
    this.#revision = revision;
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const options = { resourceVersion: this.#revision, allowWatchBookmarks: true, signal };
        for await (const { type, object } of this.#client.watch<ConfigMap>(this.#loaded.path, options)) {
          this.#revision = object.metadata.resourceVersion ?? '';
          if (type === 'BOOKMARK' || !isLoad(object)) continue;
          this.changes.push(changeOf(type, object));
          for (const wake of this.#wakers) wake();
        }
      } catch (error) {
        if (isReason(error, 'Expired')) this.expired++;
        await setTimeout(retryMs);
      }
    }
    this.#client.close();
  }

  /** Resolves when a change of that object was seen. */
  sees(name: string): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.changes.some((change) => change.name === name)) resolve();
      };
      this.#wakers.add(check);
      check();
    });
  }
}

/** The collection as it is: attempts by name, and its revision. */
export async function readCollection(
  client: Client,
  loaded: LoadedKind,
): Promise<{ revision: string; present: [name: string, attempt: number][] }> {
  const { metadata, items } = await client.json<{
    metadata: { resourceVersion: string };
    items: ConfigMap[];
  }>({
    path: loaded.path,
  });
  const present = items
    .filter(isLoad)
    .map(({ metadata: { name = '' }, data }): [string, number] => [name, Number(data.attempt)]);
  return { revision: metadata.resourceVersion, present };
}

/** Makes an object that ends a history. */
export const endHistory = (client: Client, name: string, loaded: LoadedKind) =>
  client.json({
    method: 'POST',
    path: loaded.path,
    body: objectOf(loaded, name, 1, 0),
  });

/** What is wrong with a history by itself: revisions out of order, changes of what is not there, gaps. */
export function gapsOf(changes: readonly Change[]): string[] {
  const problems: string[] = [];
  const present = new Map<string, number>();
  let last = 0;
  for (const { type, name, attempt, replaced, revision = 0 } of changes) {
    if (revision <= last) problems.push(`${name}: revision ${revision} after ${last}`);
    last = revision;
    const before = present.get(name) ?? 0;
    // A deletion shows the object as it last was.
    const after = type === 'DELETED' ? attempt : replaced;
    if (before !== after || (type === 'ADDED') !== (before === 0)) {
      problems.push(`${name}: ${type} ${attempt} of ${replaced} at ${revision}, but ${before} was there`);
    }
    present.set(name, type === 'DELETED' ? 0 : attempt);
  }
  return problems;
}

/** What a history leaves behind. */
export function leftBy(changes: readonly Change[]): [name: string, attempt: number][] {
  const present = new Map<string, number>();
  for (const { type, name, attempt } of changes) {
    if (type === 'DELETED') present.delete(name);
    else present.set(name, attempt);
  }
  return [...present];
}
