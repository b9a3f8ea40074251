import type { RequestContext } from './context.ts';
import { yieldIfHeld } from './loop-turn.ts';

/** One step of a path. It calls `next` to go on, or answers by itself. Only a step that says so calls it more than once. */
export interface Step<C = RequestContext> {
  readonly name: string;
  run(ctx: C, next: () => Promise<void>): Promise<void> | void;
}

/** Told of each step when it begins, in milliseconds of `performance.now()`. */
export type StepObserver<C> = (step: string, ctx: C, at: number) => void;

const done = Promise.resolve();

/**
 * Makes one function of a list of steps; the order of the list is the order of execution. Where one step does much at
 * once, everybody else has a turn before the next.
 */
export function composeSteps<C>(
  steps: readonly Step<C>[],
  observe?: StepObserver<C>,
): (ctx: C) => Promise<void> {
  let runner = (_ctx: C): Promise<void> => done;
  for (const step of [...steps].reverse()) {
    const rest = runner;
    // Most steps only pass on what the next one answers: they make no promise of their own.
    const run = (ctx: C, at: number): Promise<void> => {
      observe?.(step.name, ctx, at);
      try {
        return step.run(ctx, () => rest(ctx)) ?? done;
      } catch (error) {
        return Promise.reject(error as Error);
      }
    };
    runner = (ctx) => {
      const now = performance.now();
      return yieldIfHeld(now)?.then(() => run(ctx, performance.now())) ?? run(ctx, now);
    };
  }
  return runner;
}
