import { groupVersion } from '@annex/machinery';
import { trackUpdate } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { resetFieldsOf } from './reset-fields.ts';

/** Notes in metadata.managedFields who wrote what. An apply has done so itself. */
export const trackFields = (deps: ServerDeps): Step<WriteContext> => ({
  name: 'trackFields',
  run(ctx, next) {
    const { current, kind, object, query, subresource } = ctx;
    if (ctx.operation !== 'apply') {
      const reset = resetFieldsOf(ctx);
      ctx.object = trackUpdate({
        ...(current ? { live: current.object } : {}),
        updated: object,
        schema: kind.schema.root,
        apiVersion: groupVersion(kind),
        custom: kind.custom,
        ...(reset ? { resetFields: reset } : {}),
        manager: query.fieldManager,
        ...(subresource ? { subresource: subresource.name } : {}),
        now: deps.clock.now(),
      });
    }
    return next();
  },
});
