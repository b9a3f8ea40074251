/** Milliseconds that a kubelet waits before the second restart or pull; each further one doubles it. */
const firstBackOffMs = 10_000;

/** Milliseconds of the longest back-off of a kubelet. */
export const longestBackOffMs = 300_000;

/** Returns the milliseconds before an attempt, counted from 1 after the first failure. */
export const backOffMs = (failures: number): number =>
  failures < 1 ? 0 : Math.min(firstBackOffMs * 2 ** (failures - 1), longestBackOffMs);

/** A container that ran longer has no back-off. Source: twice the longest back-off, as in kubelet. */
const forgivenMs = 2 * longestBackOffMs;

/** Returns the milliseconds before a container restarts. The first restart is immediate. */
export function restartBackOffMs(restartCount: number, ranMs: number): number {
  return ranMs >= forgivenMs ? 0 : backOffMs(restartCount);
}

/** Returns a duration as kubelet prints it: `10s`, `2m40s`. */
export function backOffText(milliseconds: number): string {
  const [minutes, seconds] = [Math.floor(milliseconds / 60_000), Math.floor(milliseconds / 1000) % 60];
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
