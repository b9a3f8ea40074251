import type { RequestContext } from './context.ts';

/** Adds a remark of the step that is running to the decision trace. Never a secret. */
export function note(ctx: RequestContext, text: string): void {
  ctx.notes.push(text);
}
