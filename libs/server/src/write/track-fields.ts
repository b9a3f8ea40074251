import { groupVersion } from '@annex/machinery';
import { trackUpdate, withConversion } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import type { KindRegistry } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { inVersion } from './in-version.ts';
import { resetFieldsOf } from './reset-fields.ts';

/** Records the field owners in metadata.managedFields. An apply has recorded them already. */
export const trackFields = (deps: ServerDeps, kinds: KindRegistry): Step<WriteContext> => ({
  name: 'trackFields',
  async run(write, next) {
    if (write.operation !== 'apply') {
      const { endpoint, live, object, query, subresource } = write;
      const { schema, typed, ...version } = endpoint;
      const reset = resetFieldsOf(write);
      const now = deps.clock.now();
      write.object = await withConversion(inVersion(write, kinds), (convert) =>
        trackUpdate({
          ...(live ? { live } : {}),
          updated: object,
          schema: schema.root,
          apiVersion: groupVersion(version),
          typed,
          convert,
          ...(reset ? { resetFields: reset } : {}),
          manager: query.fieldManager,
          ...(subresource ? { subresource: subresource.name } : {}),
          now,
        }),
      );
    }
    await next(write);
  },
});
