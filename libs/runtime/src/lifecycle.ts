import { type Clock, systemClock } from './clock.ts';
import { OperatorError } from './error-codes.ts';

/** Something that runs while the process does. */
export interface Part {
  readonly name: string;
  /** Resolves when others may rely on it. */
  start?(): void | Promise<void>;
  /** Resolves when nothing of it is left. */
  stop?(): void | Promise<void>;
}

/** Parts that are started in their order and stopped in reverse. */
export interface Lifecycle {
  /** Starts each part after the one before it is ready. A failure stops what has started and is thrown. */
  start(): Promise<void>;
  /** Stops everything that has started, whatever fails; returns what did. Calls after the first one share its answer. */
  stop(): Promise<readonly OperatorError[]>;
}

/** How long stopping may take. */
export interface LifecycleOptions {
  /** Milliseconds for one part to stop; then the next one's turn comes. */
  deadline?: number;
  clock?: Clock;
}

/** Makes a life cycle of these parts. */
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
        // A part that fails half-way is stopped too: it may hold something already.
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
