import type { EventRegistration } from '../../framework/cluster-event.ts';
import { type Cycle, StateKey } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import { builtInPlugin, type PreFilterResult } from '../../framework/plugin.ts';
import { failed, type Status, unresolvable, unschedulable } from '../../framework/status.ts';
import type { Allocation, ResourceClaim } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import { compileNodeSelector } from '../../objects/node-selector.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { Allocator } from './allocator.ts';
import { createClaim, releaseClaim, reserveClaim } from './bind-claims.ts';
import { type DeviceBackedResources, deviceBackedResources } from './device-backed.ts';
import { devicesOf } from './device-pools.ts';
import { type ExtendedClaim, extendedClaimFor, lacksResource, needsDevices } from './extended-claim.ts';
import { PendingAllocations } from './pending-allocations.ts';
import { claimsOf, isInUse, isReservedFor } from './pod-claims.ts';

const cannotAllocate = unresolvable('cannot allocate all claims');
const cannotFit = unresolvable('cannot fit resource');
const elsewhere = unresolvable('resourceclaim not available on the node');

/** What was found for a node. */
interface NodeAllocation {
  /** Of the claims without allocation, in their order, then of the extended claim. */
  allocations: readonly Allocation[];
  extended: ExtendedClaim | undefined;
}

interface ClaimState {
  claims: readonly ResourceClaim[];
  /** Those of the claims that have no allocation. */
  open: readonly ResourceClaim[];
  hasExtended: boolean;
  taken: ReadonlySet<string>;
  byNode: Map<string, NodeAllocation>;
  /** Claims whose allocation is for other nodes. */
  unavailable: Set<ResourceClaim>;
}

const stateKey = new StateKey<ClaimState>('DynamicResources');

/** Gives devices to the claims of Pods, and to extended resources that devices provide. */
export const dynamicResources = builtInPlugin('DynamicResources', (_args, handle) => {
  const backed = deviceBackedResources(handle);
  const { objects } = handle.cluster;
  const pending = PendingAllocations.of(handle.cluster);
  return {
    preEnqueue({ pod }) {
      const found = claimsOf(pod, objects);
      return 'error' in found ? unresolvable(found.error) : undefined;
    },
    preFilter: (cycle, pod) => prepare(handle, cycle, pod, backed),
    filter(cycle, pod, node) {
      const state = cycle.read(stateKey);
      return state === undefined ? undefined : filterNode(handle, state, pod, node, backed);
    },
    async postFilter(cycle, { pod }) {
      const state = cycle.read(stateKey);
      // A plugin before this one refused the Pod: kube-scheduler reports the missing state.
      if (state === undefined) return { status: failed('not found') };
      if (state.claims.length === 0 && !state.hasExtended)
        return { status: unschedulable('no new claims to deallocate') };
      for (const claim of state.unavailable) {
        const { reservedFor = [] } = claim.status ?? {};
        if (reservedFor.some(({ uid }) => uid !== pod.metadata.uid)) continue;
        await releaseClaim(handle, claim);
        return { status: unschedulable('deallocation of ResourceClaim completed') };
      }
      return { status: unschedulable('still not schedulable') };
    },
    reserve(cycle, pod, node) {
      const state = cycle.read(stateKey);
      const { allocations = [], extended } = state?.byNode.get(node) ?? {};
      state?.open.forEach((claim, i) => addPending(pending, uidOf(claim), allocations[i]));
      if (extended !== undefined) addPending(pending, extendedKey(pod), allocations.at(-1));
      return undefined;
    },
    unreserve(cycle, pod) {
      for (const claim of cycle.read(stateKey)?.open ?? []) pending.delete(uidOf(claim));
      pending.delete(extendedKey(pod));
    },
    preBindPreFlight(cycle, { pod }, node) {
      const state = cycle.read(stateKey);
      const isReserved = (state?.claims ?? []).every((claim) => isReservedFor(claim, pod));
      return isReserved && state?.byNode.get(node)?.extended === undefined ? 'skip' : undefined;
    },
    preBind: (cycle, pod, node) => bind(handle, cycle, pod, node, pending),
    events,
  };
});

const extendedKey = ({ uid }: PodInfo): string => uid;
const uidOf = ({ metadata }: ResourceClaim): string => metadata.uid ?? '';

function addPending(pending: PendingAllocations, key: string, allocation: Allocation | undefined): void {
  if (allocation !== undefined) pending.add(key, allocation);
}

function prepare(
  handle: Handle,
  cycle: Cycle,
  info: PodInfo,
  backed: DeviceBackedResources,
): PreFilterResult {
  const { objects } = handle.cluster;
  const { pod } = info;
  const pending = PendingAllocations.of(handle.cluster);
  const hasExtended = needsDevices(info, backed);
  const found = claimsOf(pod, objects);
  const claims = 'error' in found ? [] : found.claims;
  const open = claims.filter(({ status }) => status?.allocation === undefined);
  const isOpen = open.length > 0 || hasExtended;
  const taken = isOpen ? pending.takenDevices() : new Set<string>();
  const state = { taken, byNode: new Map<string, NodeAllocation>(), unavailable: new Set<ResourceClaim>() };
  // As in kube-scheduler, a Pod that is refused here has no claims to deallocate.
  cycle.write(stateKey, { ...state, claims: [], open: [], hasExtended: false });
  if ('error' in found) return unresolvable(found.error);
  for (const claim of claims) {
    if (claim.status?.allocation === undefined) {
      const refusal = whyNotAllocatable(
        claim,
        pending,
        (name) => objects.deviceClasses.get(name) !== undefined,
      );
      if (refusal !== undefined) return unresolvable(refusal);
    } else if (isInUse(claim, pod)) return unresolvable('resourceclaim in use');
  }
  cycle.write(stateKey, { ...state, claims, open, hasExtended });
  return claims.length === 0 && !hasExtended ? 'skip' : undefined;
}

function whyNotAllocatable(
  claim: ResourceClaim,
  pending: PendingAllocations,
  isClass: (name: string) => boolean,
): string | undefined {
  if (pending.has(uidOf(claim)))
    return `resource claim ${claim.metadata.namespace}/${claim.metadata.name} is in the process of being allocated`;
  for (const { name, exactly, firstAvailable = [] } of claim.spec.devices?.requests ?? []) {
    const bodies =
      exactly === undefined
        ? firstAvailable.map((body) => [`${name}/${body.name}`, body] as const)
        : [[name, exactly] as const];
    for (const [request, { deviceClassName = '' }] of bodies) {
      if (deviceClassName === '') return `request ${request}: unsupported request type`;
      if (!isClass(deviceClassName))
        return `request ${request}: device class ${deviceClassName} does not exist`;
    }
  }
  return undefined;
}

function filterNode(
  { cluster: { objects } }: Handle,
  state: ClaimState,
  pod: PodInfo,
  node: NodeInfo,
  backed: DeviceBackedResources,
): Status | undefined {
  if (state.hasExtended && lacksResource(pod, node, backed)) return cannotFit;
  const extended = state.hasExtended ? extendedClaimFor(pod, node, backed) : undefined;
  if (extended === undefined && state.claims.length === 0) return undefined;
  const unavailable = state.claims.filter(({ status }) => {
    const selector = status?.allocation?.nodeSelector;
    return selector !== undefined && !compileNodeSelector(selector)(node);
  });
  const wanted = [...state.open, ...(extended === undefined ? [] : [extended.claim])];
  if (wanted.length > 0) {
    const devices = devicesOf(node, objects.resourceSlices);
    const allocations = new Allocator(devices, objects.deviceClasses, state.taken, wanted).allocate();
    if (allocations === undefined) return cannotAllocate;
    state.byNode.set(node.name, { allocations, extended });
  }
  if (unavailable.length === 0) return undefined;
  for (const claim of unavailable) state.unavailable.add(claim);
  return elsewhere;
}

async function bind(
  handle: Handle,
  cycle: Cycle,
  info: PodInfo,
  node: string,
  pending: PendingAllocations,
): Promise<Status | undefined> {
  const { claims = [], open = [], byNode } = cycle.read(stateKey) ?? {};
  const { allocations = [], extended } = byNode?.get(node) ?? {};
  const { pod } = info;
  try {
    for (const claim of claims) {
      const index = open.indexOf(claim);
      const reserved = await reserveClaim(handle, claim, pod, index < 0 ? undefined : allocations[index]);
      handle.cluster.objects.resourceClaims.assume(reserved);
      pending.delete(uidOf(claim));
    }
    if (extended === undefined) return undefined;
    const created = await createClaim(handle, extended.claim);
    const reserved = await reserveClaim(handle, created, pod, allocations.at(-1));
    handle.cluster.objects.resourceClaims.assume(reserved);
    pending.delete(extendedKey(info));
    await handle.api.patchStatus(info, {
      extendedClaim: { resourceClaimName: created.metadata.name ?? '', requestMappings: extended.mappings },
    });
    return undefined;
  } catch (error) {
    return failed((error as Error).message);
  }
}

const usesClaim = ({ pod, namespace }: PodInfo, { metadata }: ResourceClaim): boolean => {
  if (metadata.namespace !== namespace) return false;
  const made = (pod.status?.resourceClaimStatuses ?? []).some(
    (one) => one.resourceClaimName === metadata.name,
  );
  return made || (pod.spec.resourceClaims ?? []).some((one) => one.resourceClaimName === metadata.name);
};

const events: readonly EventRegistration[] = [
  { resource: 'Node', actions: ['Add', 'UpdateNodeLabel', 'UpdateNodeAllocatable'] },
  {
    resource: 'ResourceClaim',
    actions: ['Add', 'Update', 'Delete'],
    hint(pod: PodInfo, before: ResourceClaim | undefined, after: ResourceClaim | undefined) {
      // Devices become free when an allocation ends.
      const isFreed = before?.status?.allocation !== undefined && after?.status?.allocation === undefined;
      return isFreed || (after !== undefined && usesClaim(pod, after));
    },
  },
  {
    resource: 'Pod',
    actions: ['UpdatePodGeneratedResourceClaim'],
    hint: (pod: PodInfo, _before: PodInfo, after: PodInfo) => pod.uid === after.uid,
  },
  { resource: 'DeviceClass', actions: ['Add', 'Update'] },
  { resource: 'ResourceSlice', actions: ['Add', 'Update'] },
];
