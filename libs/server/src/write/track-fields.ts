import { groupVersion } from '@annex/machinery';
import { trackUpdate } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { resetFieldsOf } from './reset-fields.ts';
import { resetFields } from './reset-fields.ts';

/** Notes in metadata.managedFields who wrote what. An apply has done so itself. */
export const trackFields = (deps: ServerDeps): Step<WriteContext> => ({
  name: 'trackFields',
  run(ctx, next) {
    const { current, kind, object, query, subresource } = ctx;
    if (ctx.operation !== 'apply') {
      const reset = resetFields(ctx);
      ctx.object = trackUpdate({
        ...(current ? { live: current.object } : {}),
        updated: object,
        schema: kind.schema.root,
        apiVersion: groupVersion(kind),
        custom: kind.custom,
        resetFields: resetFieldsOf(ctx),
        manager: query.fieldManager,
        ...(reset ? { resetFields: reset } : {}),
        ...(subresource ? { subresource: subresource.name } : {}),
        now: deps.clock.now(),
      });
    }
    return next();
  },
});
