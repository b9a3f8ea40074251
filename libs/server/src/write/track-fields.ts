import { groupVersion } from '@annex/machinery';
import { trackUpdate } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { endpointOf } from './endpoint.ts';
import { resetFieldsOf } from './reset-fields.ts';

/** Notes in metadata.managedFields who wrote what. An apply has done so itself. */
export const trackFields = (deps: ServerDeps): Step<WriteContext> => ({
  name: 'trackFields',
  run(ctx, next) {
    if (ctx.operation !== 'apply') {
      const { live, object, query, subresource } = ctx;
      const { schema, isNative, ...version } = endpointOf(ctx);
      const reset = resetFieldsOf(ctx);
      ctx.object = trackUpdate({
        ...(live ? { live } : {}),
        updated: object,
        schema: schema.root,
        apiVersion: groupVersion(version),
        custom: !isNative,
        ...(reset ? { resetFields: reset } : {}),
        manager: query.fieldManager,
        ...(subresource ? { subresource: subresource.name } : {}),
        now: deps.clock.now(),
      });
    }
    return next();
  },
});
