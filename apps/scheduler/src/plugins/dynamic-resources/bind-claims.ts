import { formatTime, isReason } from '@annex/machinery';
import type { Handle } from '../../framework/handle.ts';
import type { Allocation, ResourceClaim } from '../../objects/devices.ts';
import type { Pod } from '../../objects/pod.ts';
import { isReservedFor } from './pod-claims.ts';
import { claimText } from './requested.ts';

const finalizer = 'resource.kubernetes.io/delete-protection';
/** Attempts to write a claim that others write as well. Source: client-go. */
const attempts = 5;

const collectionOf = (namespace = ''): string =>
  `/apis/resource.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/resourceclaims`;
const pathOf = ({ metadata }: ResourceClaim): string =>
  `${collectionOf(metadata.namespace)}/${encodeURIComponent(metadata.name ?? '')}`;

/** Creates a claim. */
export const createClaim = ({ api }: Handle, claim: ResourceClaim): Promise<ResourceClaim> =>
  explained(
    `create claim for extended resources ${claim.metadata.namespace}/`,
    api.json({ method: 'POST', path: collectionOf(claim.metadata.namespace), body: claim }),
  );

/** Removes the allocation of a claim. */
export const releaseClaim = ({ api }: Handle, claim: ResourceClaim): Promise<ResourceClaim> =>
  api.json({ method: 'PUT', path: `${pathOf(claim)}/status`, body: { ...typed(claim), status: {} } });

/** Deletes a claim that the scheduler created. */
export async function deleteClaim({ api }: Handle, claim: ResourceClaim): Promise<void> {
  let current = claim;
  for (let attempt = 1; ; attempt++) {
    const finalizers = (current.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const body = { ...typed(current), metadata: { ...current.metadata, finalizers } };
    try {
      await api.json({ method: 'PUT', path: pathOf(claim), body });
      break;
    } catch (error) {
      if (!isReason(error, 'Conflict') || attempt === attempts) throw error;
      current = await api.json<ResourceClaim>({ path: pathOf(claim) });
    }
  }
  await api.json({ method: 'DELETE', path: pathOf(claim) });
}

/** Removes a Pod from the Pods that use a claim. */
export const unreserveClaim = ({ api }: Handle, claim: ResourceClaim, pod: Pod): Promise<unknown> =>
  api.json({
    method: 'PATCH',
    path: `${pathOf(claim)}/status`,
    headers: { 'content-type': 'application/strategic-merge-patch+json' },
    body: {
      metadata: { uid: claim.metadata.uid },
      status: { reservedFor: [{ $patch: 'delete', uid: pod.metadata.uid }] },
    },
  });

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
      if (!isReason(causeOf(error), 'Conflict') || attempt === attempts) throw error;
      current = await explained(
        `get updated ${claimText(claim)} after conflict`,
        api.json<ResourceClaim>({ path: pathOf(claim) }),
      );
    }
  }
}

class ExplainedError extends Error {}

const causeOf = (error: unknown): unknown => (error instanceof ExplainedError ? error.cause : error);

/** Puts what was tried before the message of an error. */
async function explained<T>(what: string, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw new ExplainedError(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

async function write(
  { api, clock }: Handle,
  claim: ResourceClaim,
  pod: Pod,
  allocation: Allocation | undefined,
): Promise<ResourceClaim> {
  const text = claimText(claim);
  if (claim.metadata.deletionTimestamp !== undefined) throw new Error(`${text} got deleted in the meantime`);
  if (isReservedFor(claim, pod) && allocation === undefined) return claim;
  if (allocation !== undefined && claim.status?.allocation !== undefined)
    throw new Error(`${text} got allocated elsewhere in the meantime`);
  const current = allocation === undefined ? claim : await protect(api, claim);
  const given = allocation ?? current.status?.allocation;
  if (given === undefined) throw new Error(`${text} got deallocated elsewhere in the meantime`);
  const consumer = { resource: 'pods', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '' };
  const status = {
    ...current.status,
    allocation: { ...given, allocationTimestamp: given.allocationTimestamp ?? formatTime(clock.now()) },
    reservedFor: [...(current.status?.reservedFor ?? []), consumer],
  };
  const what = allocation === undefined ? 'add reservation to' : 'add allocation and reservation to';
  const body = { ...typed(current), status };
  return await explained(
    `${what} ${text}`,
    api.json<ResourceClaim>({ method: 'PUT', path: `${pathOf(claim)}/status`, body }),
  );
}

async function protect(api: Handle['api'], claim: ResourceClaim): Promise<ResourceClaim> {
  const { finalizers = [] } = claim.metadata;
  if (finalizers.includes(finalizer)) return claim;
  const body = { ...typed(claim), metadata: { ...claim.metadata, finalizers: [...finalizers, finalizer] } };
  return await explained(
    `add finalizer to ${claimText(claim)}`,
    api.json<ResourceClaim>({ method: 'PUT', path: pathOf(claim), body }),
  );
}

const typed = (claim: ResourceClaim): ResourceClaim => ({
  ...claim,
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
});
