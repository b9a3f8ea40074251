import { readFileSync } from 'node:fs';
import { startBare } from '../bare.ts';
import { registerBare, serviceName } from '../shares.ts';
import { EncodedConnection, type PlainRequest } from '../table/encoded-connection.ts';
import { type CountedServer, startCountedServer } from './counted-server.ts';

/** Bytes that the server allocates for one request, by the name of the row. */
export type Allocations = Record<string, number>;

/** The file of the committed numbers. */
export const allocationsFile = new URL('../../allocations.json', import.meta.url);

export const committedAllocations = (): Allocations =>
  JSON.parse(readFileSync(allocationsFile, 'utf8')) as Allocations;

/** By how much a number may exceed the committed one. Repeated counts differ by up to 1 %. */
export const tolerance = 0.025;

/** Functions and shapes of objects that are new are warm after so many requests. */
const warmUp = 60;
const defaultSlices = 4;
const requestsOfSlice = 12;

/** Counts the bytes that a server allocates for requests. */
export class AllocationCounter implements AsyncDisposable {
  readonly rows: ReadonlyMap<string, () => PlainRequest>;
  readonly #server: CountedServer;
  readonly #connection: EncodedConnection;
  readonly #stack: AsyncDisposableStack;

  private constructor(
    rows: ReadonlyMap<string, () => PlainRequest>,
    server: CountedServer,
    connection: EncodedConnection,
    stack: AsyncDisposableStack,
  ) {
    this.rows = rows;
    this.#server = server;
    this.#connection = connection;
    this.#stack = stack;
  }

  /** Starts the server and an extension server, and creates their objects. */
  static async start(): Promise<AllocationCounter> {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await startCountedServer());
    const bare = stack.use(await startBare(serviceName));
    const rows = await rowsOf(server, await registerBare(server.target, bare));
    const connection = stack.use(await EncodedConnection.open(server.target.config));
    const counter = new AllocationCounter(rows, server, connection, stack.move());
    for (const name of rows.keys()) await counter.#send(name, warmUp, 0);
    return counter;
  }

  /** Counts every row. */
  async countAll(): Promise<Allocations> {
    const counted: Allocations = {};
    for (const name of this.rows.keys()) counted[name] = await this.count(name);
    return counted;
  }

  /** Resolves to the bytes for one request of a row. The server allocates `waste` bytes more for each of them. */
  async count(name: string, waste = 0, slices = defaultSlices): Promise<number> {
    const values: number[] = [];
    for (let i = 0; i < slices; i++) {
      const bytes = await this.#server.allocated(() => this.#send(name, requestsOfSlice, waste));
      values.push(bytes / requestsOfSlice);
    }
    // Work in the background only adds to a slice.
    return Math.round(Math.min(...values));
  }

  async #send(name: string, count: number, waste: number): Promise<void> {
    const request = this.rows.get(name);
    if (request === undefined) throw new Error(`no row ${name}`);
    for (let i = 0; i < count; i++) {
      const { status } = await this.#connection.send({ ...request(), headers: { 'x-waste': String(waste) } });
      if (status < 200 || status > 299) throw new Error(`${name}: ${status}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

async function rowsOf(
  { target }: CountedServer,
  forwarded: string,
): Promise<Map<string, () => PlainRequest>> {
  const path = await target.collection('widgets', 100);
  const things = await target.collection('things', 0);
  const get = (of: string) => () => ({ method: 'GET', path: of });
  return new Map<string, () => PlainRequest>([
    ['get', get(`${path}/name-1`)],
    ['list', get(path)],
    ['forwarded get', get(forwarded)],
    [
      'create',
      () => ({
        method: 'POST',
        path: things,
        body: target.object('things', `new-${target.next()}`, 1),
      }),
    ],
    [
      'patch',
      () => ({
        method: 'PATCH',
        path: `${path}/name-1`,
        type: 'application/merge-patch+json',
        body: `{"spec":{"size":${100_000 + target.next()}}}`,
      }),
    ],
  ]);
}
