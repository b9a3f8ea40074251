import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A destination in a thread of its own. The first byte of a connection chooses what it does. */
export interface Destination extends AsyncDisposable {
  readonly address: string;
  /** Bytes that `upload` connections have received. */
  received(): number;
}

/** What a connection does: sends without end, receives, or responds to each byte with a page. */
export const purposes = { download: 'd', upload: 'u', pages: 'p' } as const;

/** Bytes of a page. */
export const pageBytes = 2048;

/** What the thread gets. */
export interface DestinationData {
  counter: BigInt64Array<SharedArrayBuffer>;
}

export async function startDestination(): Promise<Destination> {
  const counter = new BigInt64Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL('destination-thread.ts', import.meta.url), {
    workerData: { counter } satisfies DestinationData,
  });
  const [{ port }] = (await once(worker, 'message')) as [AddressInfo];
  return {
    address: `127.0.0.1:${port}`,
    received: () => Number(Atomics.load(counter, 0)),
    [Symbol.asyncDispose]: async () => void (await worker.terminate()),
  };
}
