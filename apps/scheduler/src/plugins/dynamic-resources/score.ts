import type { Allocation, ResourceClaim } from '../../objects/devices.ts';

/** Alternatives that a request can have. Source: kube-apiserver. */
const mostAlternatives = 8;

/** Returns the score of allocations: the earlier the alternatives that were found, the higher. */
export function scoreOf(
  claims: readonly ResourceClaim[],
  found: readonly Allocation[],
  extended: ResourceClaim | undefined,
): number {
  let score = 0;
  let next = 0;
  for (const claim of extended === undefined ? claims : [...claims, extended]) {
    const allocation = claim.status?.allocation ?? found[next++];
    const requests = new Set(allocation?.devices?.results?.map(({ request }) => request));
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? [])
      for (const [i, alternative] of firstAvailable.entries())
        if (requests.has(`${name}/${alternative.name}`)) score += mostAlternatives - i;
  }
  return score;
}
