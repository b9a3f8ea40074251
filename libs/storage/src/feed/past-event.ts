import type { CacheEvent } from '../cache-types.ts';

/** An event of the history, or how it is decoded. */
export type PastEvent<T> = CacheEvent<T> | (() => CacheEvent<T>);

/** Returns an event of the history. */
export const readEvent = <T>(event: PastEvent<T>): CacheEvent<T> =>
  typeof event === 'function' ? event() : event;
