import { yieldIfHeld } from '@annex/http';
import { deepCopyInPasses, finishInSlices } from '@annex/machinery';
import type { StoredObject } from '@annex/storage';

/** Other requests are served between the passes over a stored object of this many bytes: each pass takes up to 10 ms. */
const largeObjectBytes = 256 * 1024;

/** Returns whether passes over a stored object yield to other requests. */
export const isLarge = (stored: StoredObject | undefined): boolean =>
  stored !== undefined && stored.size >= largeObjectBytes;

/** Resolves in the next turn of the event loop if this one has used its time slice. */
export const pause = (): Promise<void> | undefined => yieldIfHeld(performance.now());

/** Copies a large object in slices. */
export const copyInSlices = <T>(object: T): Promise<T> => finishInSlices(deepCopyInPasses(object), pause);

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
