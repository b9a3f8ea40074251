import { expect } from 'vitest';
import type { Entry, Store, StoreError, StoreErrorCode, StoreEvent } from '../store.ts';

/** An open store, and a part of it. */
export interface Bench {
  store: Store;
  /** A prefix of the store that no other case uses. */
  at: string;
}

/** One case of the store contract. */
export interface ContractCase {
  name: string;
  run(bench: Bench): Promise<void>;
}

export const bytes = (text: string): Uint8Array => Buffer.from(text);
export const text = (entry: Entry | undefined): string | undefined =>
  entry && Buffer.from(entry.value).toString();
export const brief = (event: StoreEvent): string =>
  `${event.type} ${event.entry.key.split('/').pop()} ${text(event.entry)}<${text(event.previous) ?? ''}`;

/** Resolves to the error of a request that must fail. */
export async function errorOf(promise: Promise<unknown>): Promise<StoreError> {
  return promise.then(
    () => expect.fail('it must fail'),
    (error: StoreError) => error,
  );
}

/** Resolves to the code of that error. */
export async function code(promise: Promise<unknown>): Promise<StoreErrorCode> {
  return (await errorOf(promise)).code;
}

/** Collects events of a watch until there are `count`. */
export async function take(
  store: Store,
  prefix: string,
  fromRevision: number,
  count: number,
  then?: () => unknown,
): Promise<StoreEvent[]> {
  const stop = new AbortController();
  const events: StoreEvent[] = [];
  const reading = (async () => {
    for await (const batch of store.watch(prefix, { fromRevision, signal: stop.signal })) {
      events.push(...batch.events);
      if (events.length >= count) break;
    }
  })();
  await then?.();
  await reading;
  stop.abort();
  return events;
}
