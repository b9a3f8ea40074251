import type { RequestContext } from '@annex/kinds';
import { yieldIfHeld } from '@annex/http';

/** What comes after a step. */
export type Next<C> = (ctx: C) => Promise<void> | void;

/**
 * One step of a path. It calls `next` with its context to go on, or answers by itself. Only a step that says so calls it more
 * than once. What returns no promise has done its work: a request that is answered at once makes none.
 */
export interface Step<In = RequestContext, Out = In> {
  readonly name: string;
  run(ctx: In, next: Next<Out>): Promise<void> | void;
}

/** Told of each step when it begins, in milliseconds of `performance.now()`. */
export type StepObserver<C> = (step: string, ctx: C, at: number) => void;

/** Lists steps each of which takes the context that the step before it passes on: a list in another order has a type error. */
export function inSequence<A, B, C, D, E>(
  ...steps: [Step<A, B>, Step<B, C>, Step<C, D>, Step<D, E>, Step<E>]
): Step<A>[];
export function inSequence<A, B, C>(...steps: [Step<A, B>, Step<B, C>, Step<C>]): Step<A>[];
export function inSequence<A>(...steps: Step<A, A>[]): Step<A>[] {
  return steps;
}

const done = Promise.resolve();

/**
 * Makes one function of a list of steps; the order of the list is the order of execution. Where one step does much at
 * once, everybody else has a turn before the next.
 */
export function composeSteps<C>(
  steps: readonly Step<C>[],
  observe?: StepObserver<C>,
): (ctx: C) => Promise<void> {
  let runner: Next<C> = () => undefined;
  for (const step of [...steps].reverse()) {
    const rest = runner;
    const run = (ctx: C, at: number): Promise<void> | void => {
      observe?.(step.name, ctx, at);
      return step.run(ctx, rest);
    };
    runner = (ctx) => {
      const now = performance.now();
      const turn = yieldIfHeld(now);
      return turn === undefined ? run(ctx, now) : turn.then(() => run(ctx, performance.now()));
    };
  }
  return (ctx) => {
    try {
      return runner(ctx) ?? done;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  };
}
