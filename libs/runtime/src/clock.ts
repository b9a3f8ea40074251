/** Something that will happen, or happens again and again, until it is cancelled. */
export interface Timer {
  cancel(): void;
}

/** The time, passed in so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970; what people see. Jumps when somebody sets the clock. */
  now(): number;
  /** Milliseconds since some moment, for durations. Never jumps. */
  monotonic(): number;
  /** Calls once after so many milliseconds. Does not keep the process alive. */
  setTimeout(call: () => void, milliseconds: number): Timer;
  /** Calls every so many milliseconds. Does not keep the process alive. */
  setInterval(call: () => void, milliseconds: number): Timer;
  /** Resolves after so many milliseconds; rejects with the reason of the signal when that comes first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** `sleep` on the timers of any clock. */
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

// A longer timer would fire at once.
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
