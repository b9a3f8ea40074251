import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

const asked = (ctx: WriteContext): AdmissionRequest => ({
  request: ctx.request,
  kind: ctx.kind,
  operation: ctx.current === undefined ? 'CREATE' : 'UPDATE',
  subresource: ctx.subresource?.name ?? '',
  namespace: ctx.namespace,
  name: ctx.name,
  dryRun: ctx.query.dryRun,
  object: ctx.object,
  ...(ctx.current ? { oldObject: ctx.current.object } : {}),
});

/** Lets every mutating plugin change the object, in the order of the list. */
export const mutate = (plugins: readonly AdmissionPlugin[]): Step<WriteContext> => ({
  name: 'mutate',
  async run(ctx, next) {
    for (const plugin of plugins) await plugin.mutate?.(asked(ctx));
    await next();
  },
});

/** Lets every validating plugin, and then the kind itself, refuse the object. */
export const admit = (plugins: readonly AdmissionPlugin[]): Step<WriteContext> => ({
  name: 'admit',
  async run(ctx, next) {
    await ctx.kind.strategy.admit?.(ctx.object, ctx.current?.object, ctx.request);
    for (const plugin of plugins) await plugin.validate?.(asked(ctx));
    await next();
  },
});
