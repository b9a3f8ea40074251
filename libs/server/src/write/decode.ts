import type { Step } from '../step.ts';
import { decodeObject } from '../decode-object.ts';
import { decodePatch } from '../decode-patch.ts';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { refuseStrict } from './strict.ts';

/** Reads the body: a whole object for create and update, a patch otherwise. */
export const decode: Step<WriteContext> = {
  name: 'decode',
  async run(ctx, next) {
    if (ctx.operation === 'create' || ctx.operation === 'update') {
      const target = ctx.subresource?.spec ?? ctx.kind;
      const schema = ctx.subresource?.spec.schema ?? ctx.kind.schema;
      const { object, strict } = await decodeObject(ctx.body, ctx.mediaType, {
        ...target,
        custom: ctx.kind.custom,
        schema,
      });
      ctx.sent = object;
      ctx.strict = strict;
      refuseStrict(ctx);
      checkTarget(ctx, object);
    } else {
      const { patch, strict } = await decodePatch(ctx.body, ctx.mediaType, ctx.kind);
      ctx.sent = patch;
      ctx.strict = strict;
    }
    await next();
  },
};
