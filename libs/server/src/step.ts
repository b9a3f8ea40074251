import type { RequestContext } from './context.ts';
import { yieldIfHeld } from './loop-turn.ts';

/** One step of a path. It calls `next` to go on, or answers by itself. Only a step that says so calls it more than once. */
export interface Step<C = RequestContext> {
  readonly name: string;
  run(ctx: C, next: () => Promise<void>): Promise<void> | void;
}

/** Told of each step when it begins. */
export type StepObserver<C> = (step: string, ctx: C) => void;

/**
 * Makes one function of a list of steps; the order of the list is the order of execution. Where one step does much at
 * once, everybody else has a turn before the next.
 */
export function composeSteps<C>(
  steps: readonly Step<C>[],
  observe?: StepObserver<C>,
): (ctx: C) => Promise<void> {
  const runners: ((ctx: C) => Promise<void>)[] = [async () => undefined];
  for (const step of [...steps].reverse()) {
    const rest = runners[0] as (ctx: C) => Promise<void>;
    const run = async (ctx: C) => {
      observe?.(step.name, ctx);
      return step.run(ctx, () => rest(ctx));
    };
    runners.unshift((ctx) => yieldIfHeld()?.then(() => run(ctx)) ?? run(ctx));
  }
  return runners[0] as (ctx: C) => Promise<void>;
}
