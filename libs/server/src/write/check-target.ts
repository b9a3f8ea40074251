import { type KubeObject, badRequest } from '@annex/machinery';
import type { WriteContext } from './context.ts';

/**
 * Checks that an object does not contradict the URL. Sets its namespace and name from the URL if they are
 * absent.
 */
export function checkTarget(write: WriteContext, object: KubeObject): void {
  checkNamespace(write, object);
  const { metadata } = object;
  if (write.operation === 'create' || write.name === '') return;
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${write.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== write.name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${write.name})`,
    );
  }
}

/** Sets the namespace of an object from the URL if it has none. Throws 400 if they differ. */
export function checkNamespace(
  { kind, namespace }: Pick<WriteContext, 'kind' | 'namespace'>,
  { metadata }: KubeObject,
): void {
  if (kind.namespaced) {
    metadata.namespace ||= namespace;
    if (metadata.namespace === namespace) return;
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (metadata.namespace !== undefined && metadata.namespace !== '') delete metadata.namespace;
}
