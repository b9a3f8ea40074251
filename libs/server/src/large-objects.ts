import { yieldIfHeld } from '@annex/http';
import {
  deepCopyInPasses,
  deepEqualInPasses,
  finishInSlices,
  type JsonValue,
  parseJsonInPasses,
} from '@annex/machinery';
import type { StoredObject } from '@annex/storage';

/** Other requests are served between the passes over a stored object of this many bytes: each pass takes up to 10 ms. */
const largeObjectBytes = 256 * 1024;

/** Returns whether passes over a stored object yield to other requests. */
export const isLarge = (stored: StoredObject | undefined): boolean =>
  stored !== undefined && stored.size >= largeObjectBytes;

/** A turn can end so many milliseconds, and one pass, after its start. */
const sliceMs = 4;

/** Resolves in the next turn of the event loop if this one has used the time slice of passes. */
export const pause = (): Promise<void> | undefined => yieldIfHeld(performance.now(), sliceMs);

/** Parses a large JSON text in slices. */
export const parseInSlices = (text: string): Promise<JsonValue> =>
  finishInSlices(parseJsonInPasses(text), pause);

/** Copies a large object in slices. */
export const copyInSlices = <T>(object: T): Promise<T> => finishInSlices(deepCopyInPasses(object), pause);

/** Compares large objects in slices. */
export const equalInSlices = (a: unknown, b: unknown): Promise<boolean> =>
  finishInSlices(deepEqualInPasses(a, b), pause);

const decoding = new WeakMap<StoredObject, Promise<void>>();

/** Decodes a large object in slices, once for all readers; `undefined` if it is decoded or small. */
export function decodeLarge(stored: StoredObject): Promise<void> | undefined {
  const running = decoding.get(stored);
  if (running !== undefined) return running;
  const passes = stored.decodeInPasses();
  if (passes === undefined) return undefined;
  const done = finishInSlices(passes, pause).finally(() => decoding.delete(stored));
  decoding.set(stored, done);
  return done;
}
