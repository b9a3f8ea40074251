import type { JsonObject, KubeObject } from '@annex/machinery';
import { firstInvocation } from '../admission/plugin.ts';
import type { DeleteOptions } from '../queries/delete-options.ts';
import { gracePeriodOf } from '../termination.ts';
import type { RequestScope } from './request-scope.ts';

/**
 * Runs all admission plugins for the removal of an object. Attributes of a whole collection have no name.
 * Plugins get the grace period that the object will have, and do not run for a deletion that is pending
 * already. Throws StatusError.
 */
export async function admitRemoval(
  { request, kind, server }: RequestScope,
  oldObject: KubeObject,
  options: DeleteOptions,
): Promise<void> {
  const grace = gracePeriodOf(kind.strategy, oldObject, options);
  if (grace === 'pending') return;
  const completed = grace === undefined ? options : { ...options, gracePeriodSeconds: grace };
  const attributes = {
    request,
    kind,
    equivalents: () => server.admission.equivalents(kind),
    operation: 'DELETE' as const,
    subresource: '',
    namespace: request.info.namespace || (oldObject.metadata.namespace ?? ''),
    name: request.info.name,
    dryRun: options.dryRun,
    options: () => sentOptions(completed),
    oldObject,
    reinvocation: firstInvocation(),
  };
  await server.admission.mutate(attributes);
  await server.admission.validate(attributes);
}

const fields = ['gracePeriodSeconds', 'preconditions', 'orphanDependents', 'propagationPolicy'] as const;

function sentOptions(options: DeleteOptions): JsonObject {
  const sent: JsonObject = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' };
  for (const field of fields) {
    const value = options[field];
    if (value !== undefined && value !== null) sent[field] = value;
  }
  if (options.dryRun) sent.dryRun = ['All'];
  return sent;
}
