/**
 * Interval of the heartbeat of the event loop, in milliseconds. It is the wake-up rate of an idle process.
 */
export const heartbeatMs = 50;

/** A heartbeat that is this late counts as a stall, in milliseconds. */
export const stallMs = 100;

/** The stalls of the event loop of this process. */
export interface StallCounts {
  count: number;
  longestSeconds: number;
}

// A process has one event loop, and any number of metric registries.
const stalls: StallCounts = { count: 0, longestSeconds: 0 };
let timer: NodeJS.Timeout | undefined;

/** Returns the stalls since the heartbeat started. */
export const eventLoopStalls = (): Readonly<StallCounts> => stalls;

/** Starts the heartbeat of the event loop: counts stalls, and adds 1 to the first element of `beats` each time. Keeps no process alive. */
export function startHeartbeat(beats: Int32Array): void {
  clearInterval(timer);
  let due = performance.now() + heartbeatMs;
  timer = setInterval(() => {
    Atomics.add(beats, 0, 1);
    const now = performance.now();
    countStall(now - due);
    due = now + heartbeatMs;
  }, heartbeatMs).unref();
}

function countStall(lateMs: number): void {
  if (lateMs < stallMs) return;
  stalls.count++;
  stalls.longestSeconds = Math.max(stalls.longestSeconds, lateMs / 1_000);
}
