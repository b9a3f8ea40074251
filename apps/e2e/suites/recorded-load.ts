import { setTimeout } from 'node:timers/promises';
import { Client, type ClientConfig } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';

/** Milliseconds before a client connects again. */
const retryMs = 25;
/** Timeout of a request in milliseconds; longer than a server tries to reach another one. */
const timeoutMs = 20_000;

/** A change of one object. */
export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  name: string;
  /** The number of the attempt by the writer of the object. */
  attempt: number;
  /** The attempt that wrote the replaced object; 0 if there was none. */
  replaced: number;
  /** Undefined for acknowledged deletions, and for changes without a response. */
  revision?: number;
}

/** The kind of the written objects, with string values in `data`. */
export interface LoadedKind {
  apiVersion: string;
  kind: string;
  /** The path of the collection. */
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

/** True for objects of the load: controllers write to the same collections. */
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

/** Changes its objects one after the other, and records the responses. */
export class Writer {
  /** Changes that the server acknowledged. */
  readonly acknowledged: Change[] = [];
  /** Changes without a response: they were applied completely or not at all. */
  readonly unresponded: Change[] = [];
  /** Impossible states that the server returned. */
  readonly violations: string[] = [];
  readonly #client: Client;
  readonly #names: readonly string[];
  readonly #random: () => number;
  readonly #attempts = new Map<string, number>();
  /** The attempt that wrote the current object; 0 if there is none. */
  readonly #present = new Map<string, number>();
  /** The last change of an object, while its result is unknown. */
  readonly #open = new Map<string, Change>();
  readonly #loaded: LoadedKind;

  constructor(config: ClientConfig, names: readonly string[], random: () => number, loaded: LoadedKind) {
    this.#client = new Client(config);
    this.#loaded = loaded;
    this.#names = names;
    this.#random = random;
  }

  /** Writes until the signal aborts, and then determines the results of changes without a response. */
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

  /** Returns the expected objects: attempts by name. */
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

  /** Resolves to the attempt that wrote the current object; 0 if there is none, `undefined` if the server does not respond. */
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

/** Watches the collection across disconnections, always from the last received revision. */
export class Follower {
  readonly changes: Change[] = [];
  /** Number of responses that the revision is too old. */
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

  /** Resolves when a change of that object is received. */
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

/** Resolves to the collection: attempts by name, and its revision. */
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

/** Creates an object that marks the end of a history. */
export const endHistory = (client: Client, name: string, loaded: LoadedKind) =>
  client.json({
    method: 'POST',
    path: loaded.path,
    body: objectOf(loaded, name, 1, 0),
  });

/** Returns the errors in a history: revisions out of order, changes of missing objects, gaps. */
export function gapsOf(changes: readonly Change[]): string[] {
  const problems: string[] = [];
  const present = new Map<string, number>();
  let last = 0;
  for (const { type, name, attempt, replaced, revision = 0 } of changes) {
    if (revision <= last) problems.push(`${name}: revision ${revision} after ${last}`);
    last = revision;
    const before = present.get(name) ?? 0;
    // A deletion contains the last state of the object.
    const after = type === 'DELETED' ? attempt : replaced;
    if (before !== after || (type === 'ADDED') !== (before === 0)) {
      problems.push(`${name}: ${type} ${attempt} of ${replaced} at ${revision}, but ${before} was there`);
    }
    present.set(name, type === 'DELETED' ? 0 : attempt);
  }
  return problems;
}

/** Returns the objects that exist after a history. */
export function leftBy(changes: readonly Change[]): [name: string, attempt: number][] {
  const present = new Map<string, number>();
  for (const { type, name, attempt } of changes) {
    if (type === 'DELETED') present.delete(name);
    else present.set(name, attempt);
  }
  return [...present];
}
