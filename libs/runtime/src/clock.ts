/** A one-time or repeated call that can be cancelled. */
export interface Timer {
  cancel(): void;
}

/** The time, injected so that tests can control it. */
export interface Clock {
  /** Milliseconds since 1970. Jumps when the system clock is set. */
  now(): number;
  /** Milliseconds since an arbitrary time, for durations. Never jumps. */
  monotonic(): number;
  /** Calls once after this many milliseconds. Does not keep the process alive. */
  setTimeout(call: () => void, milliseconds: number): Timer;
  /** Calls repeatedly at this interval in milliseconds. Does not keep the process alive. */
  setInterval(call: () => void, milliseconds: number): Timer;
  /** Resolves after this many milliseconds; rejects with the reason of the signal if it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** Implements `sleep` with the timers of any clock. */
export function sleepOn(
  clock: Pick<Clock, 'setTimeout'>,
  milliseconds: number,
  signal?: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => {
    timer.cancel();
    reject(signal?.reason as Error);
  };
  const timer = clock.setTimeout(() => {
    signal?.removeEventListener('abort', abort);
    resolve();
  }, milliseconds);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return promise;
}

// Node fires a longer timer immediately.
const longest = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(call, milliseconds) {
    const timer = setTimeout(call, Math.min(milliseconds, longest)).unref();
    return { cancel: () => clearTimeout(timer) };
  },
  setInterval(call, milliseconds) {
    const timer = setInterval(call, Math.min(milliseconds, longest)).unref();
    return { cancel: () => clearInterval(timer) };
  },
  sleep: (milliseconds, signal) => sleepOn(systemClock, milliseconds, signal),
};
