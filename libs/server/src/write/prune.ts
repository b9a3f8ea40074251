import { asJson } from '../resource-kind.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { refuseStrictPatch } from './strict.ts';

/** Removes what the schema does not specify from a patched object; whole objects were pruned when they were decoded. */
export const prune: Step<WriteContext> = {
  name: 'prune',
  run(ctx, next) {
    if (ctx.operation === 'patch') {
      const schema = ctx.subresource?.spec.schema ?? ctx.kind.schema;
      const unknown = schema.prune(asJson(ctx.object));
      ctx.strict = [...ctx.strict, ...unknown.map((path) => `unknown field "${path}"`)];
      refuseStrictPatch(ctx);
    }
    return next();
  },
};
