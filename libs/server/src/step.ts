import type { RequestContext } from './context.ts';

/** One step of a path. It calls `next` at most once, or answers by itself. */
export interface Step<C = RequestContext> {
  readonly name: string;
  run(ctx: C, next: () => Promise<void>): Promise<void>;
}
