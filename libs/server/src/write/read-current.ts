import { type KubeObject, notFound } from '@annex/machinery';
import { scaleManagedFields } from '@annex/schema';
import type { Step } from '../step.ts';
import { checkUid } from './check-preconditions.ts';
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
      if (ctx.current !== undefined) checkUid(ctx, ctx.current.object);
      ctx.live = ctx.current && (await shown(ctx, ctx.current.object));
      ctx.code = ctx.current === undefined ? 201 : 200;
    }
    await next(ctx);
  },
};

async function shown({ subresource, request }: WriteContext, parent: KubeObject): Promise<KubeObject> {
  const { read, replicasPaths } = subresource?.spec ?? {};
  const object = read ? await read(parent, request) : parent;
  if (replicasPaths === undefined) return object;
  const managedFields = scaleManagedFields(parent.metadata.managedFields, replicasPaths);
  return { ...object, metadata: { ...object.metadata, ...(managedFields ? { managedFields } : {}) } };
}
