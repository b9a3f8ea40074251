import type { Allocation, ResourceClaim } from '../../objects/devices.ts';
import { type Cycle, StateKey } from '../../framework/cycle.ts';
import type { AllocatedState } from './allocated-state.ts';
import type { SliceIndex } from './device-pools.ts';
import type { ExtendedClaim } from './extended-claim.ts';

/** What was found for a node. */
export interface NodeAllocation {
  /** Of the claims without allocation, in their order, then of the extended claim. */
  readonly allocations: readonly Allocation[];
  readonly extended: ExtendedClaim | undefined;
}

/** What is known about the claims of a Pod while it is scheduled and bound. */
export interface ClaimState {
  /** In their last version: those that were bound replace the others. */
  claims: ResourceClaim[];
  /** Those that had no allocation when the cycle began. */
  readonly open: readonly ResourceClaim[];
  /** True if devices may have to provide an extended resource. */
  readonly hasExtended: boolean;
  /** The claim for extended resources: one of an earlier attempt, or the one that was created. */
  extended: ResourceClaim | undefined;
  readonly allocated: AllocatedState;
  readonly slices: SliceIndex | undefined;
  readonly byNode: Map<string, NodeAllocation>;
  /** Claims whose allocation is for other nodes, or whose devices cannot be bound. */
  readonly unavailable: Set<ResourceClaim>;
}

export const claimStateKey = new StateKey<ClaimState>('DynamicResources');

/** Returns the state if the Pod uses devices. */
export function claimStateOf(cycle: Cycle): ClaimState | undefined {
  const state = cycle.read(claimStateKey);
  return state !== undefined && usesDevices(state) ? state : undefined;
}

export const usesDevices = ({ claims, hasExtended }: ClaimState): boolean => claims.length > 0 || hasExtended;
