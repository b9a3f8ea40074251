import { formatTime, isReason } from '@annex/machinery';
import type { Handle } from '../../framework/handle.ts';
import type { Allocation, ResourceClaim } from '../../objects/devices.ts';
import type { Pod } from '../../objects/pod.ts';
import { isReservedFor } from './pod-claims.ts';

const finalizer = 'resource.kubernetes.io/delete-protection';
/** Attempts to write a claim that others write as well. Source: client-go. */
const attempts = 5;

const collectionOf = (namespace = ''): string =>
  `/apis/resource.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/resourceclaims`;
const pathOf = ({ metadata }: ResourceClaim): string =>
  `${collectionOf(metadata.namespace)}/${encodeURIComponent(metadata.name ?? '')}`;

/** Creates a claim. */
export const createClaim = ({ api }: Handle, claim: ResourceClaim): Promise<ResourceClaim> =>
  api.json({ method: 'POST', path: collectionOf(claim.metadata.namespace), body: claim });

/** Removes the allocation of a claim. */
export const releaseClaim = ({ api }: Handle, claim: ResourceClaim): Promise<ResourceClaim> =>
  api.json({ method: 'PUT', path: `${pathOf(claim)}/status`, body: { ...typed(claim), status: {} } });

/** Writes the allocation of a claim, if it is new, and reserves the claim for a Pod. Returns the claim. */
export async function reserveClaim(
  handle: Handle,
  claim: ResourceClaim,
  pod: Pod,
  allocation: Allocation | undefined,
): Promise<ResourceClaim> {
  const { api } = handle;
  let current = claim;
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(handle, current, pod, allocation);
    } catch (error) {
      if (!isReason(error, 'Conflict') || attempt === attempts) throw error;
      current = await api.json<ResourceClaim>({ path: pathOf(claim) });
    }
  }
}

async function write(
  { api, clock }: Handle,
  claim: ResourceClaim,
  pod: Pod,
  allocation: Allocation | undefined,
): Promise<ResourceClaim> {
  const { namespace, name, deletionTimestamp, finalizers = [] } = claim.metadata;
  const text = `${namespace}/${name}`;
  if (deletionTimestamp !== undefined) throw new Error(`claim ${text} got deleted in the meantime`);
  if (isReservedFor(claim, pod) && allocation === undefined) return claim;
  if (allocation !== undefined && claim.status?.allocation !== undefined)
    throw new Error(`claim ${text} got allocated elsewhere in the meantime`);
  let current = claim;
  if (allocation !== undefined && !finalizers.includes(finalizer)) {
    const metadata = { ...claim.metadata, finalizers: [...finalizers, finalizer] };
    current = await api.json<ResourceClaim>({
      method: 'PUT',
      path: pathOf(claim),
      body: { ...typed(claim), metadata },
    });
  }
  const consumer = { resource: 'pods', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' };
  const status = {
    ...current.status,
    ...(allocation === undefined
      ? {}
      : { allocation: { ...allocation, allocationTimestamp: formatTime(clock.now()) } }),
    reservedFor: [...(current.status?.reservedFor ?? []), consumer],
  };
  return await api.json({
    method: 'PUT',
    path: `${pathOf(claim)}/status`,
    body: { ...typed(current), status },
  });
}

const typed = (claim: ResourceClaim): ResourceClaim => ({
  ...claim,
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
});
