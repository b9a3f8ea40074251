import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Bytes that V8 may allocate before it collects the whole heap. It counts the buffers of sockets: by its own rule, it collects the
 * whole heap after every few megabytes that pass through a tunnel.
 */
const garbageBytes = 32 * 1024 * 1024;

/** Bytes of the young generation beyond which it does not grow. V8 lets it grow to 128 MiB, which saves no time here. */
const youngBytes = 8 * 1024 * 1024;

/** Percent of its size by which a heap grows at least; if that is more than the bytes above, V8 decides. */
const smallestGrowth = 50;

const tuneIntervalMs = 1_000;

/** Bytes of the young generation, and those that old objects use. */
export interface HeapSizes {
  young: number;
  old: number;
}

/** Returns V8's flags for a heap. The percentage 0 is V8's own rule. */
export function growthFlags({ young, old }: HeapSizes): string[] {
  const growth = Math.round((garbageBytes * 100) / old);
  return [
    `--heap-growing-percent=${growth >= smallestGrowth ? growth : 0}`,
    `--semi-space-growth-factor=${young < youngBytes ? 2 : 1}`,
  ];
}

/** Adapts V8's flags to the size of the heap, every second. */
export function tuneHeapGrowth(): void {
  const tune = (): void => growthFlags(heapSizes()).forEach((flag) => setFlagsFromString(flag));
  setInterval(tune, tuneIntervalMs).unref();
}

function heapSizes(): HeapSizes {
  const spaces = new Map(getHeapSpaceStatistics().map((space) => [space.space_name, space]));
  return {
    young: spaces.get('new_space')?.space_size ?? 0,
    old: spaces.get('old_space')?.space_used_size ?? 0,
  };
}
