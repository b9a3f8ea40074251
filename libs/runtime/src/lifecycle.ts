import { type Clock, systemClock } from './clock.ts';
import { OperatorError } from './error-codes.ts';

/** A component that runs while the process does. */
export interface Part {
  readonly name: string;
  /** Resolves when other parts can rely on it. */
  start?(): void | Promise<void>;
  /** Resolves when all of its work has ended. */
  stop?(): void | Promise<void>;
}

/** Starts parts in order and stops them in reverse. */
export interface Lifecycle {
  /** Starts each part after the previous one is ready. A failure stops the started parts and is thrown. */
  start(): Promise<void>;
  /**
   * Stops every started part, even if some fail; returns the failures. Later calls share the result of the
   * first one.
   */
  stop(): Promise<readonly OperatorError[]>;
}

/** The timeout of stopping. */
export interface LifecycleOptions {
  /** Milliseconds for one part to stop; then the next one is stopped. */
  deadline?: number;
  clock?: Clock;
}

/** Creates the life cycle of these parts. */
export function createLifecycle(parts: readonly Part[], options: LifecycleOptions = {}): Lifecycle {
  const { deadline = 10_000, clock = systemClock } = options;
  const started: Part[] = [];
  let stopping: Promise<readonly OperatorError[]> | undefined;

  const stopAll = async (): Promise<readonly OperatorError[]> => {
    const errors: OperatorError[] = [];
    for (let part = started.pop(); part !== undefined; part = started.pop()) {
      const error = await stopPart(part, deadline, clock);
      if (error !== undefined) errors.push(error);
    }
    return errors;
  };

  return {
    async start() {
      for (const part of parts) {
        if (stopping !== undefined) return;
        // A part that fails during its start is stopped too, because it may already use resources.
        started.push(part);
        try {
          await part.start?.();
        } catch (error) {
          await (stopping ??= stopAll());
          throw error;
        }
      }
    },
    stop: () => (stopping ??= stopAll()),
  };
}

async function stopPart(part: Part, deadline: number, clock: Clock): Promise<OperatorError | undefined> {
  if (part.stop === undefined) return undefined;
  const { promise: late, resolve } = Promise.withResolvers<OperatorError>();
  const timer = clock.setTimeout(() => {
    resolve(new OperatorError('STOP_FAILED', `${part.name} did not stop within ${deadline} ms`));
  }, deadline);
  const stopped = (async () => part.stop?.())().then(
    () => undefined,
    (cause: unknown) =>
      new OperatorError('STOP_FAILED', `${part.name} failed to stop: ${String(cause)}`, { cause }),
  );
  const error = await Promise.race([stopped, late]);
  timer.cancel();
  return error;
}
