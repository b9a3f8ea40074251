import type { Handle } from '../../framework/handle.ts';
import type { DeviceClass } from '../../objects/devices.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { DeviceAmounts } from '../node-resources/scorer.ts';

const classPrefix = 'deviceclass.resource.kubernetes.io/';

/** Extended resources that devices provide. */
export interface DeviceBackedResources {
  isBacked(resource: string): boolean;
  /** The class of devices that provides a resource. */
  classOf(resource: string): DeviceClass | undefined;
  amounts: DeviceAmounts;
  /** The hint for a Pod that lacks an extended resource. */
  isHelpfulClass(pod: PodInfo, before: DeviceClass | undefined, after: DeviceClass): boolean;
}

/** Returns the extended resources that device classes name, or that are named after a class. */
export function deviceBackedResources({ cluster }: Handle): DeviceBackedResources {
  const { deviceClasses } = cluster.objects;
  const classOf = (resource: string): DeviceClass | undefined => {
    if (deviceClasses.size === 0) return undefined;
    if (resource.startsWith(classPrefix)) return deviceClasses.get(resource.slice(classPrefix.length));
    let found: DeviceClass | undefined;
    for (const one of deviceClasses.values())
      if (one.spec.extendedResourceName === resource && isNewer(one, found)) found = one;
    return found;
  };
  return {
    classOf,
    isBacked: (resource) => classOf(resource) !== undefined,
    amounts: () => undefined,
    isHelpfulClass(pod, before, after) {
      const name = after.spec.extendedResourceName;
      if (before !== undefined && before.spec.extendedResourceName === name) return false;
      if (before === undefined && pod.requests.has(`${classPrefix}${after.metadata.name}`)) return true;
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
