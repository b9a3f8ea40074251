import { setTimeout } from 'node:timers/promises';
import type { Client } from '@annex/client';
import { isReason, type JsonObject } from '@annex/machinery';
import type { List, Version, WriteOutcome } from './history.ts';
import { type Recorder, type Register, versionOf } from './recorder.ts';

/** Milliseconds until a request has failed, and before the next one is sent to a server that does not respond. */
const [timeoutMs, retryMs] = [5_000, 20];

/** Objects of a page, of lists in pages. */
const pageLength = 3;

/** Which list is read, and how: by default the newest one, in one page. */
interface ListForm {
  notOlderThan?: number;
  /** The list is of exactly that revision. */
  isExact?: boolean;
  limit?: number;
}

interface RegisterList {
  metadata: { resourceVersion: string; continue?: string };
  items: Register[];
}

const refusals = ['AlreadyExists', 'Conflict', 'NotFound'] as const;

/** Sends random requests about a few objects, one after the other. */
export class RandomClient {
  readonly #name: string;
  readonly #servers: readonly Client[];
  readonly #keys: readonly string[];
  readonly #random: () => number;
  readonly #recorder: Recorder;
  /** The last version of each object that a response has shown. */
  readonly #known = new Map<string, Version>();

  constructor(
    name: string,
    servers: readonly Client[],
    keys: readonly string[],
    random: () => number,
    recorder: Recorder,
  ) {
    this.#name = name;
    this.#servers = servers;
    this.#keys = keys;
    this.#random = random;
    this.#recorder = recorder;
  }

  /** Sends requests until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const hasResponse = await this.#next();
      if (!hasResponse) await setTimeout(retryMs);
    }
  }

  /** Creates all objects, and resolves when the server has acknowledged them. */
  async createAll(): Promise<void> {
    for (const key of this.#keys) while (!(await this.#create(key))) await setTimeout(retryMs);
  }

  #next(): Promise<boolean> {
    const key = this.#oneOf(this.#keys);
    const known = this.#known.get(key);
    const chance = this.#random();
    if (chance < 0.2) return this.#create(key);
    if (chance < 0.35) return this.#patch(key);
    if (chance < 0.7 && known !== undefined)
      return chance < 0.55 ? this.#update(key, known) : this.#delete(key, known);
    if (chance < 0.9) return this.#read(key);
    if (chance < 0.95) return this.#list(chance < 0.92 ? undefined : { notOlderThan: 0 });
    if (chance < 0.98 || known === undefined) return this.#list({ limit: pageLength });
    return this.#list({ notOlderThan: known.revision, isExact: true });
  }

  #create(key: string): Promise<boolean> {
    const value = this.#recorder.newValue(this.#name);
    const body = { metadata: { name: key }, data: { value } };
    return this.#write({ type: 'create', key, value }, { method: 'POST', path: this.#recorder.path, body });
  }

  #patch(key: string): Promise<boolean> {
    const value = this.#recorder.newValue(this.#name);
    const headers = { 'content-type': 'application/merge-patch+json' };
    const request = { method: 'PATCH', path: this.#pathOf(key), headers, body: { data: { value } } };
    return this.#write({ type: 'update', key, value }, request);
  }

  #update(key: string, { revision }: Version): Promise<boolean> {
    const value = this.#recorder.newValue(this.#name);
    const body = { metadata: { name: key, resourceVersion: String(revision) }, data: { value } };
    return this.#write(
      { type: 'update', key, value, expected: revision },
      { method: 'PUT', path: this.#pathOf(key), body },
    );
  }

  #delete(key: string, { revision, value }: Version): Promise<boolean> {
    const body = { preconditions: { resourceVersion: String(revision) } };
    return this.#write(
      { type: 'delete', key, value, expected: revision },
      { method: 'DELETE', path: this.#pathOf(key), body },
    );
  }

  async #write(
    write: { type: 'create' | 'update' | 'delete'; key: string; value: string; expected?: number },
    request: { method: string; path: string; body: JsonObject; headers?: Record<string, string> },
  ): Promise<boolean> {
    const server = this.#oneOf(this.#servers);
    const done = await this.#recorder.time(this.#name, () =>
      server.json<Register>({ ...request, timeoutMs }),
    );
    const { client, invokedAt, returnedAt } = done;
    const outcome: WriteOutcome =
      'error' in done
        ? refusalOf(done.error, write.expected)
        : { type: 'done', revision: write.type === 'delete' ? undefined : versionOf(done.result)?.revision };
    const hasOutcome = outcome.type !== 'unknown';
    this.#recorder.writes.push({
      ...write,
      client,
      invokedAt,
      returnedAt: hasOutcome ? returnedAt : Infinity,
      outcome,
    });
    if ('result' in done && write.type !== 'delete') this.#learn(write.key, versionOf(done.result));
    else this.#known.delete(write.key);
    return hasOutcome;
  }

  async #read(key: string): Promise<boolean> {
    const server = this.#oneOf(this.#servers);
    const path = this.#pathOf(key);
    const done = await this.#recorder.time(this.#name, () =>
      server.json<Register>({ path, timeoutMs }).catch((error: unknown) => {
        if (isReason(error, 'NotFound')) return undefined;
        throw error;
      }),
    );
    if ('error' in done) return false;
    const found = done.result && versionOf(done.result);
    this.#learn(key, found);
    const { client, invokedAt, returnedAt } = done;
    this.#recorder.reads.push({ client, invokedAt, returnedAt, key, found });
    return true;
  }

  async #list(how: ListForm = {}): Promise<boolean> {
    const done = await this.#recorder.time(this.#name, () => this.#pages(how));
    if ('error' in done) return false;
    const items: [string, Version][] = done.result.items.flatMap((object) => {
      const version = versionOf(object);
      return version === undefined ? [] : [[object.metadata.name!, version]];
    });
    const { client, invokedAt, returnedAt } = done;
    const { revision } = done.result;
    const { notOlderThan } = how;
    const list: List = { client, invokedAt, returnedAt, revision, items: new Map(items) };
    this.#recorder.lists.push(notOlderThan === undefined ? list : { ...list, notOlderThan });
    return true;
  }

  /** Reads a list in one page, or in several, each from another server. All are at the revision of the first one. */
  async #pages({ notOlderThan, isExact, limit }: ListForm): Promise<{ revision: number; items: Register[] }> {
    const first = new URLSearchParams({
      ...(notOlderThan === undefined ? {} : { resourceVersion: String(notOlderThan) }),
      ...(isExact ? { resourceVersionMatch: 'Exact' } : {}),
    });
    const items: Register[] = [];
    for (let query = first, revision: number | undefined; ;) {
      if (limit !== undefined) query.set('limit', String(limit));
      const path = `${this.#recorder.path}?${query}`;
      const page = await this.#oneOf(this.#servers).json<RegisterList>({ path, timeoutMs });
      revision ??= Number(page.metadata.resourceVersion);
      items.push(...page.items);
      if (!page.metadata.continue) return { revision, items };
      query = new URLSearchParams({ continue: page.metadata.continue });
    }
  }

  #learn(key: string, version: Version | undefined): void {
    if (version === undefined) this.#known.delete(key);
    else this.#known.set(key, version);
  }

  #pathOf(key: string): string {
    return `${this.#recorder.path}/${key}`;
  }

  #oneOf<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }
}

/** A patch can also be refused because others changed the object again and again. */
function refusalOf(error: unknown, expected: number | undefined): WriteOutcome {
  const reason = refusals.find((one) => isReason(error, one));
  if (reason === undefined || (reason === 'Conflict' && expected === undefined)) return { type: 'unknown' };
  return { type: 'refused', reason };
}
