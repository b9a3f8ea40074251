import type { RequestContext } from '@annex/kinds';
import { yieldIfHeld } from '@annex/runtime';

/** Continues with the steps after this one. */
export type Next<C> = (ctx: C) => Promise<void> | void;

/**
 * One step of a path. It calls `next` with its context to continue, or sends the response. Only steps that
 * document it call `next` more than once. A step that finishes synchronously returns no promise.
 */
export interface Step<In = RequestContext, Out = In> {
  readonly name: string;
  run(ctx: In, next: Next<Out>): Promise<void> | void;
}

/** Called when a step begins; `at` is in milliseconds of `performance.now()`. */
export type StepObserver<C> = (step: string, ctx: C, at: number) => void;

/**
 * Lists steps; each takes the context that the previous step passes on. A list in another order has a type
 * error.
 */
export function inSequence<A, B, C, D, E>(
  ...steps: [Step<A, B>, Step<B, C>, Step<C, D>, Step<D, E>, Step<E>]
): Step<A>[];
export function inSequence<A, B, C>(...steps: [Step<A, B>, Step<B, C>, Step<C>]): Step<A>[];
export function inSequence<A>(...steps: Step<A, A>[]): Step<A>[] {
  return steps;
}

const done = Promise.resolve();

/**
 * Composes a list of steps into one function; the order of the list is the order of execution. Before a step,
 * yields to the event loop if the current turn has been long.
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
