/** Timeouts that expire when a test says so. */
export interface HeldTimeouts extends Disposable {
  /** Expires the timeouts of this many milliseconds, and returns their number. */
  expire(ms: number): number;
}

interface Held {
  ms: number;
  expire(): void;
}

/**
 * Replaces `AbortSignal.timeout`, whose timers fake timers do not reach, until it is disposed of. A test of a
 * timeout of minutes takes milliseconds. Timers of `setTimeout` run as always, and can also be expired.
 */
export function holdTimeouts(): HeldTimeouts {
  const { setTimeout, clearTimeout } = globalThis;
  const { timeout } = AbortSignal;
  const held = new Map<unknown, Held>();
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    held.set(controller, { ms, expire: () => controller.abort(reason) });
    return controller.signal;
  };
  const holding = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): NodeJS.Timeout => {
    const end = (): void => {
      held.delete(timer);
      run(...args);
    };
    const timer = setTimeout(end, ms);
    held.set(timer, {
      ms,
      expire() {
        clearTimeout(timer);
        run(...args);
      },
    });
    return timer;
  };
  globalThis.setTimeout = Object.assign(holding, setTimeout) as typeof setTimeout;
  globalThis.clearTimeout = (timer) => {
    held.delete(timer);
    clearTimeout(timer);
  };
  return {
    expire(ms) {
      const due = [...held].filter(([, timeout]) => timeout.ms === ms);
      for (const [key, { expire }] of due) {
        held.delete(key);
        expire();
      }
      return due.length;
    },
    [Symbol.dispose]() {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      AbortSignal.timeout = timeout;
    },
  };
}
