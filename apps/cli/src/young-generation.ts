import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Bytes of the young generation beyond which it does not grow. V8 lets it grow to 128 MiB, which stay in the memory of the process, and whose
 * collections take up to 20 ms.
 */
export const youngBytes = 16 * 1024 * 1024;

const checkMs = 250;

/** Lets the young generation grow with the load, until it has this size. */
export function growYoungGeneration(): void {
  const tune = (): void => setFlagsFromString(growthFlag(youngSize()));
  tune();
  setInterval(tune, checkMs).unref();
}

/** Returns V8's flag for a young generation of this size. */
export const growthFlag = (bytes: number): string =>
  `--semi-space-growth-factor=${bytes < youngBytes ? 2 : 1}`;

const youngSize = (): number =>
  getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
