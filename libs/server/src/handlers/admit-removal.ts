import type { JsonObject, KubeObject } from '@annex/machinery';
import { firstInvocation } from '../admission.ts';
import { mutateBy, validateBy } from '../admission/chain.ts';
import type { DeleteOptions } from '../delete-options.ts';
import { equivalentsOf } from '../write/admission.ts';
import type { ResourceRequest } from './resource-request.ts';

/** Lets all admission plugins refuse the removal of an object. Throws StatusError. */
export async function admitRemoval(
  { ctx, kind, server }: ResourceRequest,
  name: string,
  oldObject: KubeObject,
  options: DeleteOptions,
): Promise<void> {
  const request = {
    request: ctx,
    kind,
    equivalents: () => equivalentsOf(kind, server.kinds),
    operation: 'DELETE' as const,
    subresource: '',
    namespace: ctx.info.namespace || (oldObject.metadata.namespace ?? ''),
    name,
    dryRun: options.dryRun,
    options: () => sentOptions(options),
    oldObject,
    reinvocation: firstInvocation(),
  };
  await mutateBy(server.admission, request);
  await validateBy(server.admission, request);
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
