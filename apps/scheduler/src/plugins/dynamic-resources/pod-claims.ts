import type { ClusterObjects } from '../../cache/cluster.ts';
import type { ResourceClaim } from '../../objects/devices.ts';
import type { Pod } from '../../objects/pod.ts';

/** Claims of a Pod, or why one of them cannot be used yet. */
export type PodClaims = { claims: readonly ResourceClaim[] } | { error: string };

/** Finds the claims that a Pod names, and those that were made from its templates. */
export function claimsOf({ metadata, spec, status }: Pod, { resourceClaims }: ClusterObjects): PodClaims {
  const claims: ResourceClaim[] = [];
  for (const { name, resourceClaimName, resourceClaimTemplateName } of spec.resourceClaims ?? []) {
    const made = status?.resourceClaimStatuses?.find((one) => one.name === name);
    if (resourceClaimName === undefined && made === undefined)
      return { error: `pod "${metadata.namespace}/${metadata.name}": ResourceClaim not created yet` };
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    // The template made no claim: none is needed.
    if (claimName === undefined) continue;
    const claim = resourceClaims.get(`${metadata.namespace}/${claimName}`);
    if (claim === undefined) return { error: `resourceclaim.resource.k8s.io "${claimName}" not found` };
    if (claim.metadata.deletionTimestamp !== undefined)
      return { error: `resourceclaim "${claimName}" is being deleted` };
    const isOwn = claim.metadata.ownerReferences?.some(
      ({ uid, controller }) => controller === true && uid === metadata.uid,
    );
    if (resourceClaimTemplateName !== undefined && !isOwn)
      return {
        error: `ResourceClaim ${metadata.namespace}/${claimName} was not created for pod ${metadata.namespace}/${metadata.name} (pod is not owner)`,
      };
    claims.push(claim);
  }
  return { claims };
}

export const isReservedFor = ({ status }: ResourceClaim, { metadata }: Pod): boolean =>
  (status?.reservedFor ?? []).some(({ uid }) => uid === metadata.uid);

/** Consumers that a claim can have. Source: kube-apiserver. */
const mostConsumers = 256;

export const isInUse = (claim: ResourceClaim, pod: Pod): boolean =>
  (claim.status?.reservedFor ?? []).length >= mostConsumers && !isReservedFor(claim, pod);
