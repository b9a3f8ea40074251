import type { JsonObject, KubeObject } from '@annex/machinery';
import { firstInvocation } from '../admission/plugin.ts';
import type { DeleteOptions } from '../queries/delete-options.ts';
import { gracePeriodOf } from '../termination.ts';
import type { RequestScope } from './request-scope.ts';

/**
 * Runs all admission plugins for the removal of an object. Attributes of a whole collection have no name.
 * The validating ones get the grace period that the object will have; a deletion that is pending already is not
 * validated again. Throws StatusError.
 */
export async function admitRemoval(
  { request, kind, server }: RequestScope,
  oldObject: KubeObject,
  options: DeleteOptions,
): Promise<void> {
  const attributes = {
    request,
    kind,
    equivalents: () => server.admission.equivalents(kind),
    operation: 'DELETE' as const,
    subresource: '',
    namespace: request.info.namespace || (oldObject.metadata.namespace ?? ''),
    name: request.info.name,
    dryRun: options.dryRun,
    options: () => sentOptions(options),
    oldObject,
    reinvocation: firstInvocation(),
  };
  await server.admission.mutate(attributes);
  const grace = gracePeriodOf(kind.strategy, oldObject, options);
  if (grace === 'pending') return;
  const validated = grace === undefined ? options : { ...options, gracePeriodSeconds: grace };
  await server.admission.validate({ ...attributes, options: () => sentOptions(validated) });
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
