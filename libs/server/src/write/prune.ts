import { asJson } from '../resource-kind.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { refuseStrictPatch } from './strict.ts';

/** Removes what the schema does not specify from a patched object; whole objects were pruned when they were decoded. */
export const prune: Step<WriteContext> = {
  name: 'prune',
  run(ctx, next) {
    // A subresource of a type of its own was already written to its parent, which that type does not describe.
    if (ctx.operation === 'patch' && ctx.subresource?.spec.schema === undefined) {
      const unknown = ctx.kind.schema.prune(asJson(ctx.object));
      ctx.strict = [...ctx.strict, ...unknown.map((path) => `unknown field "${path}"`)];
      refuseStrictPatch(ctx);
    }
    return next();
  },
};
