import { notFound } from '@annex/machinery';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Reads the object that is about to change. An absent one is 404, unless this operation may create it. */
export const readCurrent: Step<WriteContext> = {
  name: 'readCurrent',
  async run(ctx, next) {
    if (ctx.operation !== 'create') {
      ctx.current = await ctx.objects.read(ctx.namespace, ctx.name);
      if (ctx.current === undefined) {
        const creates =
          ctx.operation === 'apply' || (ctx.operation === 'update' && ctx.kind.strategy.allowCreateOnUpdate);
        if (!creates || ctx.subresource !== undefined) throw notFound(ctx.kind, ctx.name);
      }
      ctx.code = ctx.current === undefined ? 201 : 200;
    }
    await next();
  },
};
