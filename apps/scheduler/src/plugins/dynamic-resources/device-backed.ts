import { deviceClassPrefix } from '../../objects/resources.ts';
import { type Cycle, StateKey } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import type { DeviceClass } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { DeviceAmounts } from '../node-resources/scorer.ts';
import type { AllocatedState } from './allocated-state.ts';
import { deviceId, isForNode } from './device-pools.ts';
import { matchesSelectors } from './device-selector.ts';
import { PendingAllocations } from './pending-allocations.ts';

/** Extended resources that devices provide. */
export interface DeviceBackedResources {
  isBacked(resource: string): boolean;
  /** The class of devices that provides a resource. */
  classOf(resource: string): DeviceClass | undefined;
  /** Counts the devices that could provide a resource on a node, and those that are allocated. */
  amounts(cycle: Cycle): DeviceAmounts;
  /** The hint for a Pod that lacks an extended resource. */
  isHelpfulClass(pod: PodInfo, before: DeviceClass | undefined, after: DeviceClass): boolean;
}

/** Returns the extended resources that device classes name, or that are named after a class. */
export function deviceBackedResources(handle: Handle): DeviceBackedResources {
  const { cluster, features } = handle;
  const { deviceClasses } = cluster.objects;
  const classOf = (resource: string): DeviceClass | undefined => {
    if (deviceClasses.size === 0 || !features.has('DRAExtendedResource')) return undefined;
    if (resource.startsWith(deviceClassPrefix))
      return deviceClasses.get(resource.slice(deviceClassPrefix.length));
    let found: DeviceClass | undefined;
    for (const one of deviceClasses.values())
      if (one.spec.extendedResourceName === resource && isNewer(one, found)) found = one;
    return found;
  };
  return {
    classOf,
    isBacked: (resource) => classOf(resource) !== undefined,
    amounts: (cycle) => (resource, node) => {
      const deviceClass = classOf(resource);
      return deviceClass === undefined ? undefined : countDevices(handle, cycle, deviceClass, node);
    },
    isHelpfulClass(pod, before, after) {
      const name = after.spec.extendedResourceName;
      if (before !== undefined && before.spec.extendedResourceName === name) return false;
      if (before === undefined && pod.requests.has(`${deviceClassPrefix}${after.metadata.name}`)) return true;
      return name !== undefined && pod.requests.has(name);
    },
  };
}

/** Of several classes for one resource the newest counts; of the same age, the first by name. */
function isNewer({ metadata }: DeviceClass, than: DeviceClass | undefined): boolean {
  if (than === undefined) return true;
  const [a, b] = [metadata.creationTimestamp ?? '', than.metadata.creationTimestamp ?? ''];
  return a === b ? (metadata.name ?? '') < (than.metadata.name ?? '') : a > b;
}

const allocatedKey = new StateKey<AllocatedState>('DeviceBackedResources');

function allocatedIn(cycle: Cycle, { cluster, features }: Handle): AllocatedState {
  const known = cycle.read(allocatedKey);
  if (known !== undefined) return known;
  const state = PendingAllocations.of(cluster).allocated(features.has('DRAConsumableCapacity'));
  cycle.write(allocatedKey, state);
  return state;
}

/** As in kube-scheduler, devices of incomplete pools count, and a selector that fails makes the amounts 0. */
function countDevices(
  handle: Handle,
  cycle: Cycle,
  { metadata, spec }: DeviceClass,
  node: NodeInfo,
): ReturnType<DeviceAmounts> {
  const state = allocatedIn(cycle, handle);
  let allocatable = 0;
  let allocated = 0;
  try {
    for (const slice of handle.cluster.objects.resourceSlices.values()) {
      const { driver, pool, devices = [], perDeviceNodeSelection } = slice.spec;
      if (!perDeviceNodeSelection && !isForNode(slice.spec, node)) continue;
      for (const device of devices) {
        if (perDeviceNodeSelection && !isForNode(device, node)) continue;
        if (!matchesSelectors(spec.selectors ?? [], driver, device, `class ${metadata.name}`)) continue;
        allocatable++;
        if (state.isAllocated(deviceId(driver, pool.name, device.name))) allocated++;
      }
    }
  } catch {
    return undefined;
  }
  return { allocatable, allocated };
}
