import type { DeviceRequest, ResourceClaim } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { Container, ExtendedResourceClaimStatus, Pod } from '../../objects/pod.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { amountOf, isExtendedResource } from '../../objects/resources.ts';
import type { DeviceBackedResources } from './device-backed.ts';

/** A claim that the scheduler makes for the extended resources of a Pod on a node. */
export interface ExtendedClaim {
  readonly claim: ResourceClaim;
  readonly mappings: ExtendedResourceClaimStatus['requestMappings'];
}

const extendedClaimAnnotation = 'resource.kubernetes.io/extended-resource-claim';

/** Returns whether devices may have to provide an extended resource of a Pod. */
export const needsDevices = ({ requests }: PodInfo, { isBacked }: DeviceBackedResources): boolean =>
  [...requests].some(([name, amount]) => amount > 0 && isExtendedResource(name) && isBacked(name));

/** Returns whether a Pod needs an extended resource that neither the node nor any device class provides. */
export const lacksResource = (
  { requests }: PodInfo,
  node: NodeInfo,
  { isBacked }: DeviceBackedResources,
): boolean =>
  [...requests].some(
    ([name, amount]) =>
      amount > 0 && isExtendedResource(name) && !isBacked(name) && !node.allocatable.has(name),
  );

/** Returns the claim for the resources that the node itself does not have; `undefined` if it has all. */
export function extendedClaimFor(
  { pod }: PodInfo,
  node: NodeInfo,
  { classOf }: DeviceBackedResources,
): ExtendedClaim | undefined {
  const requests: DeviceRequest[] = [];
  const mappings: ExtendedClaim['mappings'][number][] = [];
  const containers: readonly Container[] = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  for (const [i, container] of containers.entries())
    for (const [j, [name, quantity]] of Object.entries(container.resources?.requests ?? {})
      .toSorted(byName)
      .entries()) {
      const deviceClass = isExtendedResource(name) ? classOf(name) : undefined;
      const count = amountOf(name, quantity);
      if (deviceClass === undefined || count === 0 || (node.allocatable.get(name) ?? 0) > 0) continue;
      const request = `container-${i}-request-${j}`;
      requests.push({
        name: request,
        exactly: { deviceClassName: deviceClass.metadata.name ?? '', allocationMode: 'ExactCount', count },
      });
      mappings.push({ containerName: container.name, resourceName: name, requestName: request });
    }
  return requests.length === 0 ? undefined : { claim: claimOf(pod, requests), mappings };
}

const byName = (a: readonly [string, unknown], b: readonly [string, unknown]): number =>
  a[0] < b[0] ? -1 : 1;

function claimOf({ metadata }: Pod, requests: readonly DeviceRequest[]): ResourceClaim {
  const { namespace = '', name = '', uid = '' } = metadata;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      namespace,
      generateName: `${name}-extended-resources-`,
      annotations: { [extendedClaimAnnotation]: 'true' },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Pod', name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: { devices: { requests } },
  };
}
