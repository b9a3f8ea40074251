import { yieldIfHeld } from '@annex/runtime';
import {
  deepCopyInPasses,
  deepEqualInPasses,
  finishInSlices,
  type JsonValue,
  parseJsonInPasses,
  type Passes,
  stringifyJsonInPasses,
} from '@annex/machinery';
import type { StoredObject } from '@annex/storage';

/** Other requests are served between the passes over a stored object of this many bytes: each pass takes up to 5 ms. */
const largeObjectBytes = 64 * 1024;

/** Returns whether passes over a stored object yield to other requests. */
export const isLarge = (stored: StoredObject | undefined): boolean =>
  stored !== undefined && stored.size >= largeObjectBytes;

/** A turn can end so many milliseconds, and one pass, after its start. */
const sliceMs = 4;

/** The same if the pass is a long one. */
const sliceBeforeLongMs = 0.5;

/** Resolves in the next turn of the event loop if this one has used the time slice of passes. */
export const pause = (isLong = false): Promise<void> | undefined =>
  yieldIfHeld(performance.now(), isLong ? sliceBeforeLongMs : sliceMs);

/** Parses a large JSON text in slices. */
export const parseInSlices = (text: string): Promise<JsonValue> =>
  finishInSlices(parseJsonInPasses(text), pause);

/** Copies a large object in slices. */
export const copyInSlices = <T>(object: T): Promise<T> => finishInSlices(deepCopyInPasses(object), pause);

/** Compares large objects in slices. */
export const equalInSlices = (a: unknown, b: unknown): Promise<boolean> =>
  finishInSlices(deepEqualInPasses(a, b), pause);

/** Encodes a value as JSON in slices. */
export const stringifyInSlices = (value: unknown): Promise<string> =>
  finishInSlices(stringifyJsonInPasses(value), pause);

type Running = WeakMap<StoredObject, Promise<void>>;

const decoding: Running = new WeakMap();
const encoding: Running = new WeakMap();

/** Decodes a large object in slices, once for all readers; `undefined` if it is decoded or small. */
export const decodeLarge = (stored: StoredObject): Promise<void> | undefined =>
  runOnce(decoding, stored, () => stored.decodeInPasses());

/** Encodes a large object as JSON in slices, once for all readers; `undefined` if it is encoded or small. */
export const encodeLarge = (stored: StoredObject): Promise<void> | undefined =>
  runOnce(encoding, stored, () => stored.encodeInPasses());

function runOnce(
  all: Running,
  stored: StoredObject,
  start: () => Passes<void> | undefined,
): Promise<void> | undefined {
  const running = all.get(stored);
  if (running !== undefined) return running;
  const passes = start();
  if (passes === undefined) return undefined;
  const done = finishInSlices(passes, pause).finally(() => all.delete(stored));
  all.set(stored, done);
  return done;
}
