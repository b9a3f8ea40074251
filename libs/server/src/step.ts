import type { RequestContext } from './context.ts';
import { yieldIfHeld } from './loop-turn.ts';

/** One step of a path. It calls `next` to go on, or answers by itself. Only a step that says so calls it more than once. */
export interface Step<C = RequestContext> {
  readonly name: string;
  run(ctx: C, next: () => Promise<void>): Promise<void> | void;
}

/** Told after each step how long it took by itself, without the steps it called, in milliseconds. */
export type StepObserver<C> = (step: string, ctx: C, tookMs: number) => void;

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
    const run = observe ? observed(step, rest, observe) : async (ctx: C) => step.run(ctx, () => rest(ctx));
    runners.unshift((ctx) => yieldIfHeld()?.then(() => run(ctx)) ?? run(ctx));
  }
  return runners[0] as (ctx: C) => Promise<void>;
}

function observed<C>(step: Step<C>, rest: (ctx: C) => Promise<void>, observe: StepObserver<C>) {
  return async (ctx: C): Promise<void> => {
    const start = performance.now();
    let inner = 0;
    try {
      await step.run(ctx, async () => {
        const from = performance.now();
        try {
          await rest(ctx);
        } finally {
          inner += performance.now() - from;
        }
      });
    } finally {
      observe(step.name, ctx, performance.now() - start - inner);
    }
  };
}
