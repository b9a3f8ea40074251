import { type KubeObject, badRequest } from '@annex/machinery';
import type { WriteContext } from './context.ts';

/** An object must not contradict the URL it is sent to: its namespace and name are the URL's where it says nothing. */
export function checkTarget(ctx: WriteContext, object: KubeObject): void {
  const { metadata } = object;
  if (ctx.kind.namespaced) {
    metadata.namespace ||= ctx.namespace;
    if (metadata.namespace !== ctx.namespace) {
      throw badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
  } else if (metadata.namespace !== undefined && metadata.namespace !== '') {
    delete metadata.namespace;
  }
  if (ctx.operation === 'create' || ctx.name === '') return;
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${ctx.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== ctx.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${ctx.name})`,
    );
  }
}
