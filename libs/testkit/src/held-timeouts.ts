/** Timeouts that expire when a test says so. */
export interface HeldTimeouts extends Disposable {
  /** Expires the timeouts of this many milliseconds, and returns their number. */
  expire(ms: number): number;
}

/**
 * Replaces `AbortSignal.timeout`, whose timers fake timers do not reach, until it is disposed of. A test of a
 * timeout of minutes takes milliseconds.
 */
export function holdTimeouts(): HeldTimeouts {
  const original = AbortSignal.timeout;
  let held: { ms: number; controller: AbortController }[] = [];
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    held.push({ ms, controller });
    return controller.signal;
  };
  return {
    expire(ms) {
      const due = held.filter((timeout) => timeout.ms === ms);
      held = held.filter((timeout) => timeout.ms !== ms);
      const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      for (const { controller } of due) controller.abort(reason);
      return due.length;
    },
    [Symbol.dispose]() {
      AbortSignal.timeout = original;
    },
  };
}
