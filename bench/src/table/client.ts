import { randomBytes } from 'node:crypto';
import type { Buffer } from 'node:buffer';
import { until } from '../load.ts';
import { EncodedConnection, type EncodedResponse, type PlainRequest } from './encoded-connection.ts';
import { definition, object } from './table-objects.ts';
import type { Server } from './servers.ts';

/** The workers of a row; each waits for its response before it sends the next request. */
export const workers = 16;

/** The plural name of the kind of the objects. */
export const widgets = 'widgets';

/** The number of objects in the long list. */
export const listed = 5000;

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Open watches. */
interface Watches extends Disposable {
  failed: Promise<never>;
}

/** The load on one server: sixteen workers, each with a connection and a client certificate. */
export class TableClient {
  readonly server: Server;
  readonly group = `${randomBytes(4).toString('hex')}.bench.annex.example`;
  #connections: readonly EncodedConnection[] = [];
  #counter = 0;
  #created = 0;
  #kind: Promise<void> | undefined;

  constructor(server: Server) {
    this.server = server;
  }

  /** Opens the connections, until the result is disposed of: servers close connections that are idle. */
  async connect(): Promise<Disposable> {
    const opening = Array.from({ length: workers }, () => EncodedConnection.open(this.server.config));
    const connections = await Promise.all(opening);
    this.#connections = connections;
    return {
      [Symbol.dispose]() {
        for (const connection of connections) connection[Symbol.dispose]();
      },
    };
  }

  /** Returns a number that is unique on this server. */
  next(): number {
    return this.#counter++;
  }

  /** Sends a request that must succeed. */
  async must(request: PlainRequest, worker = 0, keep = false): Promise<EncodedResponse> {
    const response = await this.try(request, worker, keep);
    if (response.status >= 200 && response.status <= 299) return response;
    const { status, body } = keep ? response : await this.try(request, worker, true);
    throw new Error(
      `${request.method} ${request.path}: ${response.status}, then ${status} ${body?.toString().slice(0, 300) ?? ''}`,
    );
  }

  try(request: PlainRequest, worker = 0, keep = false): Promise<EncodedResponse> {
    return (this.#connections[worker] as EncodedConnection).send(request, { keep });
  }

  /** Runs an operation so many times, by all workers or fewer; resolves to the duration in milliseconds. */
  async repeat(
    count: number,
    operation: (worker: number, i: number) => Promise<unknown>,
    by = workers,
  ): Promise<number> {
    let next = 0;
    const begin = performance.now();
    const work = async (worker: number): Promise<void> => {
      for (let i = next++; i < count; i = next++) await operation(worker, i);
    };
    await Promise.all(Array.from({ length: by }, (_, worker) => work(worker)));
    return performance.now() - begin;
  }

  /** Opens watches from now on, each on a separate connection. `failed` rejects if one of them ends or reports an error. */
  async watch(plural: string, count: number, onEvent: () => void): Promise<Watches> {
    const list = await this.must({ method: 'GET', path: `${this.path(plural)}?limit=1` }, 0, true);
    // The metadata of the list are at its end.
    const version = /"resourceVersion":"(\d+)"[^{}]*}}?$/.exec(list.body?.toString().trim() ?? '')?.[1];
    if (version === undefined) throw new Error('a list without a resourceVersion');
    const path = `${this.path(plural)}?watch=1&resourceVersion=${version}`;
    const { promise: failed, reject } = Promise.withResolvers<never>();
    failed.catch(() => undefined);
    const onData = (chunk: Buffer): void => {
      if (chunk.includes('"type":"ERROR"')) reject(new Error(chunk.toString()));
      // Each event is a line.
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) onEvent();
    };
    const connections = await Promise.all(
      Array.from({ length: count }, () => EncodedConnection.open(this.server.config)),
    );
    for (const connection of connections)
      connection
        .send({ method: 'GET', path }, { onData })
        .then(({ status }) => reject(new Error(`a watch ended with status ${status}`)), reject);
    return {
      failed,
      [Symbol.dispose]() {
        for (const connection of connections) connection[Symbol.dispose]();
      },
    };
  }

  /** The collection of a kind of this run. */
  path(plural: string, group = this.group): string {
    return `/apis/${group}/v1/namespaces/default/${plural}`;
  }

  define(plural: string, group = this.group, worker = 0): Promise<unknown> {
    return this.must({ method: 'POST', path: definitions, body: definition(group, plural) }, worker);
  }

  /** Creates the kind of the objects, once. */
  kind(): Promise<void> {
    return (this.#kind ??= (async () => {
      await this.define(widgets);
      await this.served(widgets);
    })());
  }

  /** Creates the objects that are still missing. */
  async objects(): Promise<void> {
    if (this.server.isBare) return;
    await this.kind();
    const missing = Math.max(0, listed - this.#created);
    await this.repeat(missing, (worker) => this.create(worker));
  }

  /** Creates objects of another kind, which are in no list. */
  async createOthers(count: number): Promise<void> {
    const others = 'others';
    await this.define(others);
    await this.served(others);
    await this.repeat(count, (worker, i) => this.#post(others, `name-${i}`, i, worker));
  }

  /** Creates the next object. */
  create(worker: number): Promise<unknown> {
    const i = this.#created++;
    return this.#post(widgets, `name-${i}`, i, worker);
  }

  #post(plural: string, name: string, i: number, worker: number): Promise<unknown> {
    const body = object(this.group, plural, name, i);
    return this.must({ method: 'POST', path: this.path(plural), body }, worker);
  }

  /** Resolves when the objects of the kind are served. */
  served(plural: string, group = this.group, worker = 0): Promise<unknown> {
    const request = { method: 'GET', path: this.path(plural, group) };
    return until(async () => (await this.try(request, worker)).status === 200);
  }
}
