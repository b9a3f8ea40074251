import { deepEqual } from '@annex/machinery';
import type { DynamicResourcesArgs } from '../../config/types.ts';
import type { EventRegistration } from '../../framework/cluster-event.ts';
import type { Cycle } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import { builtInPlugin, type PostFilterResult, type PreFilterResult } from '../../framework/plugin.ts';
import { failed, type Status, unresolvable, unschedulable } from '../../framework/status.ts';
import type { Allocation, ResourceClaim } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import { compileNodeSelector } from '../../objects/node-selector.ts';
import { keyOf, type PodInfo } from '../../objects/pod-info.ts';
import { scaleScores } from '../normalize.ts';
import { AllocatedState } from './allocated-state.ts';
import { AllocationTimeout, Allocator, InvalidPools } from './allocator.ts';
import { createClaim, deleteClaim, releaseClaim, reserveClaim, unreserveClaim } from './bind-claims.ts';
import { cannotBeBound, usesBindingConditions, waitForDevices } from './binding-conditions.ts';
import { type ClaimState, claimStateKey, claimStateOf } from './claim-state.ts';
import { type DeviceBackedResources, deviceBackedResources } from './device-backed.ts';
import { SliceIndex } from './device-pools.ts';
import { extendedClaimFor, isExtendedClaimOf, lacksResource, needsDevices } from './extended-claim.ts';
import { PendingAllocations } from './pending-allocations.ts';
import { claimsOf, isInUse, isReservedFor } from './pod-claims.ts';
import { alternativesOf, claimText } from './requested.ts';
import { scoreOf } from './score.ts';

const cannotAllocate = unresolvable('cannot allocate all claims');
const cannotFit = unresolvable('cannot fit resource');
const elsewhere = unresolvable('resourceclaim not available on the node');
const staleExtendedClaim = unresolvable('cannot schedule extended resource claim');

/** What the plugin is made of. */
interface Deps {
  readonly handle: Handle;
  readonly backed: DeviceBackedResources;
  readonly pending: PendingAllocations;
  readonly args: DynamicResourcesArgs;
}

/** Gives devices to the claims of Pods, and to extended resources that devices provide. */
export const dynamicResources = builtInPlugin<DynamicResourcesArgs>('DynamicResources', (args, handle) => {
  const { objects } = handle.cluster;
  const pending = PendingAllocations.of(handle.cluster);
  const deps: Deps = { args, handle, pending, backed: deviceBackedResources(handle) };
  return {
    preEnqueue({ pod }) {
      const found = claimsOf(pod, objects);
      return 'error' in found ? unresolvable(found.error) : undefined;
    },
    preFilter: (cycle, pod) => prepare(deps, cycle, pod),
    filter(cycle, pod, node) {
      const state = claimStateOf(cycle);
      return state === undefined ? undefined : filterNode(deps, state, pod, node);
    },
    postFilter: (cycle, pod) => makeRoom(handle, cycle, pod),
    preScore: (cycle) => (claimStateOf(cycle) === undefined ? 'skip' : undefined),
    score(cycle, _pod, node) {
      const state = claimStateOf(cycle);
      const found = state?.byNode.get(node.name);
      if (state === undefined || found === undefined || !handle.features.has('DRAPrioritizedList')) return 0;
      return scoreOf(state.claims, found.allocations, found.extended?.claim);
    },
    normalize: (_cycle, _pod, scores) => scaleScores(scores),
    reserve(cycle, pod, node) {
      const state = claimStateOf(cycle);
      const { allocations = [], extended } = state?.byNode.get(node) ?? {};
      state?.open.forEach((claim, i) => addPending(pending, uidOf(claim), allocations[i]));
      if (extended !== undefined) addPending(pending, extendedKey(pod), allocations.at(-1));
      return undefined;
    },
    unreserve: (cycle, pod) => unreserve(deps, cycle, pod),
    preBindPreFlight: (cycle) => (claimStateOf(cycle) === undefined ? 'skip' : undefined),
    preBind: (cycle, pod, node) => bind(deps, cycle, pod, node),
    events: eventsOf(handle),
  };
});

const extendedKey = ({ uid }: PodInfo): string => uid;
const uidOf = ({ metadata }: ResourceClaim): string => metadata.uid ?? '';

function addPending(pending: PendingAllocations, key: string, allocation: Allocation | undefined): void {
  if (allocation !== undefined) pending.add(key, allocation);
}

function prepare({ handle, backed, pending }: Deps, cycle: Cycle, info: PodInfo): PreFilterResult {
  const { cluster, features } = handle;
  const { objects } = cluster;
  const { pod } = info;
  const hasExtended = features.has('DRAExtendedResource') && needsDevices(info, backed);
  const found = claimsOf(pod, objects);
  const claims = 'error' in found ? [] : [...found.claims];
  const open = claims.filter(({ status }) => status?.allocation === undefined);
  const isOpen = open.length > 0 || hasExtended;
  const state: ClaimState = {
    claims,
    open,
    hasExtended,
    extended: hasExtended ? findExtendedClaim(handle, info) : undefined,
    allocated: isOpen ? pending.allocated(features.has('DRAConsumableCapacity')) : new AllocatedState(),
    slices: isOpen
      ? new SliceIndex(objects.resourceSlices, features.has('DRAPartitionableDevices'))
      : undefined,
    byNode: new Map(),
    unavailable: new Set(),
  };
  // As in kube-scheduler, a Pod that is refused here has no claims to deallocate.
  cycle.write(claimStateKey, { ...state, claims: [], hasExtended: false });
  if ('error' in found) return unresolvable(found.error);
  for (const claim of claims) {
    const refusal =
      claim.status?.allocation === undefined
        ? whyNotAllocatable(handle, claim, pending)
        : isInUse(claim, pod)
          ? unresolvable('resourceclaim in use')
          : undefined;
    if (refusal !== undefined) return refusal;
  }
  cycle.write(claimStateKey, state);
  return claims.length === 0 && !hasExtended ? 'skip' : undefined;
}

function findExtendedClaim({ cluster }: Handle, info: PodInfo): ResourceClaim | undefined {
  for (const claim of cluster.objects.resourceClaims.values())
    if (isExtendedClaimOf(info, claim)) return claim;
  return undefined;
}

function whyNotAllocatable(
  { cluster, features }: Handle,
  claim: ResourceClaim,
  pending: PendingAllocations,
): Status | undefined {
  const text = claimText(claim);
  if (pending.has(uidOf(claim))) return unresolvable(`resource ${text} is in the process of being allocated`);
  for (const request of claim.spec.devices?.requests ?? []) {
    const alternatives = alternativesOf(request);
    if (alternatives.length === 0)
      return unresolvable(`resource ${text}, request ${request.name}: unknown request type`);
    if (request.exactly === undefined && !features.has('DRAPrioritizedList'))
      return unresolvable(
        `resource ${text}, request ${request.name}: has subrequests, but the DRAPrioritizedList feature is disabled`,
      );
    for (const { name, body } of alternatives) {
      const { deviceClassName = '' } = body;
      if (deviceClassName === '') return failed(`request ${name}: unsupported request type`);
      if (cluster.objects.deviceClasses.get(deviceClassName) === undefined)
        return unresolvable(`request ${name}: device class ${deviceClassName} does not exist`);
    }
  }
  return undefined;
}

function filterNode(
  { args, handle, backed }: Deps,
  state: ClaimState,
  pod: PodInfo,
  node: NodeInfo,
): Status | undefined {
  const { clock, cluster, features } = handle;
  if (state.extended !== undefined) return staleExtendedClaim;
  if (state.hasExtended && lacksResource(pod, node, backed)) return cannotFit;
  const extended = state.hasExtended ? extendedClaimFor(pod, node, backed) : undefined;
  if (extended === undefined && state.claims.length === 0) return undefined;
  const unavailable = state.claims.filter((claim) => {
    const selector = claim.status?.allocation?.nodeSelector;
    if (selector !== undefined && !compileNodeSelector(selector)(node)) return true;
    if (claim.status?.allocation === undefined || !usesBindingConditions(features)) return false;
    return cannotBeBound(claim, clock.now(), args.bindingTimeoutMs);
  });
  const wanted = [...state.open, ...(extended === undefined ? [] : [extended.claim])];
  let allocations: Allocation[] = [];
  if (wanted.length > 0) {
    const { allocated, slices } = state;
    const search = { allocated, features, classes: cluster.objects.deviceClasses };
    try {
      const found = new Allocator(search, node, slices?.poolsOf(node) ?? []).allocate(wanted);
      if (found === undefined) return cannotAllocate;
      allocations = found;
    } catch (error) {
      if (error instanceof InvalidPools) return unresolvable(error.message);
      if (error instanceof AllocationTimeout)
        throw new Error(`node ${node.name}: ${error.message}`, { cause: error });
      throw error;
    }
  }
  if (unavailable.length > 0) {
    for (const claim of unavailable) state.unavailable.add(claim);
    return elsewhere;
  }
  if (wanted.length > 0) state.byNode.set(node.name, { allocations, extended });
  return undefined;
}

/** Removes an allocation that is of no use, so that others can be tried. */
async function makeRoom(handle: Handle, cycle: Cycle, { pod }: PodInfo): Promise<PostFilterResult> {
  const written = cycle.read(claimStateKey);
  // A plugin before this one refused the Pod: kube-scheduler reports the missing state.
  if (written === undefined) return { status: failed('not found') };
  const state = claimStateOf(cycle);
  if (state === undefined) return { status: unschedulable('no new claims to deallocate') };
  for (const claim of state.unavailable) {
    const { reservedFor = [] } = claim.status ?? {};
    if (reservedFor.some(({ uid }) => uid !== pod.metadata.uid)) continue;
    await releaseClaim(handle, claim);
    return { status: unschedulable('deallocation of ResourceClaim completed') };
  }
  if (state.extended !== undefined) {
    await deleteClaim(handle, state.extended);
    return { status: unschedulable('deletion of ResourceClaim completed') };
  }
  return { status: unschedulable('still not schedulable') };
}

function unreserve({ handle, pending }: Deps, cycle: Cycle, info: PodInfo): void {
  const { log } = handle;
  const state = claimStateOf(cycle);
  if (state === undefined) return;
  const report = (error: unknown) => log.error('a claim cannot be given back', { error: String(error) });
  for (const claim of state.claims) {
    if (pending.delete(uidOf(claim))) handle.cluster.objects.resourceClaims.restore(keyOf(claim));
    if (claim.status?.allocation !== undefined && isReservedFor(claim, info.pod))
      unreserveClaim(handle, claim, info.pod).catch(report);
  }
  pending.delete(extendedKey(info));
  if (state.extended !== undefined) deleteClaim(handle, state.extended).catch(report);
}

async function bind(deps: Deps, cycle: Cycle, info: PodInfo, node: string): Promise<Status | undefined> {
  const { args, handle, pending } = deps;
  const state = claimStateOf(cycle);
  if (state === undefined) return undefined;
  const { allocations = [] } = state.byNode.get(node) ?? {};
  const { pod } = info;
  const { resourceClaims } = handle.cluster.objects;
  try {
    for (const [i, claim] of state.claims.entries()) {
      if (isReservedFor(claim, pod)) continue;
      const index = state.open.indexOf(claim);
      const reserved = await reserveClaim(handle, claim, pod, index < 0 ? undefined : allocations[index]);
      resourceClaims.assume(reserved);
      pending.delete(uidOf(claim));
      state.claims[i] = reserved;
    }
    await bindExtended(deps, state, info, node);
    if (!usesBindingConditions(handle.features)) return undefined;
    const bound = state.extended === undefined ? state.claims : [...state.claims, state.extended];
    const { bindingTimeoutMs: timeoutMs } = args;
    await waitForDevices(handle, bound, { pod, node, signal: cycle.signal, timeoutMs });
    return undefined;
  } catch (error) {
    return failed((error as Error).message);
  }
}

async function bindExtended(
  { handle, pending }: Deps,
  state: ClaimState,
  info: PodInfo,
  node: string,
): Promise<void> {
  const { allocations = [], extended } = state.byNode.get(node) ?? {};
  if (extended === undefined) return;
  state.extended = await createClaim(handle, extended.claim);
  const reserved = await reserveClaim(handle, state.extended, info.pod, allocations.at(-1));
  state.extended = reserved;
  handle.cluster.objects.resourceClaims.assume(reserved);
  pending.delete(extendedKey(info));
  await handle.api.patchStatus(info, {
    extendedClaim: { resourceClaimName: reserved.metadata.name ?? '', requestMappings: extended.mappings },
  });
}

function isHelpfulClaim(
  { pod }: PodInfo,
  { objects }: Handle['cluster'],
  before: ResourceClaim | undefined,
  after: ResourceClaim,
): boolean {
  const found = claimsOf(pod, objects);
  if ('error' in found) return false;
  // Devices become free when an allocation ends.
  if (before?.status?.allocation !== undefined && after.status?.allocation === undefined) return true;
  if (!found.claims.some(({ metadata }) => metadata.uid === after.metadata.uid)) return false;
  return before === undefined || !deepEqual(before.status ?? {}, after.status ?? {});
}

const eventsOf = ({ cluster }: Handle): readonly EventRegistration[] => [
  { resource: 'Node', actions: ['Add', 'UpdateNodeLabel', 'UpdateNodeAllocatable'] },
  {
    resource: 'ResourceClaim',
    actions: ['Add', 'Update'],
    hint: (pod: PodInfo, before: ResourceClaim | undefined, after: ResourceClaim) =>
      isHelpfulClaim(pod, cluster, before, after),
  },
  {
    resource: 'Pod',
    actions: ['UpdatePodGeneratedResourceClaim'],
    hint: (pod: PodInfo, _before: PodInfo, after: PodInfo) =>
      pod.uid === after.uid && !('error' in claimsOf(after.pod, cluster.objects)),
  },
  { resource: 'DeviceClass', actions: ['Add', 'Update'] },
  { resource: 'ResourceSlice', actions: ['Add', 'Update'] },
];
