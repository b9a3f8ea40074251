import type { KubeObject } from '@annex/machinery';
import { at, listAt } from '../../shared/cells.ts';

/** Returns whether a claim is pending, allocated, reserved, or being deleted. */
export function claimState(claim: KubeObject): string {
  const deleted = claim.metadata.deletionTimestamp !== undefined;
  if (at(claim, 'status.allocation') === undefined) return deleted ? 'deleted' : 'pending';
  const reserved = listAt(claim, 'status.reservedFor').length > 0;
  return [...(deleted ? ['deleted'] : []), 'allocated', ...(reserved ? ['reserved'] : [])].join(',');
}
