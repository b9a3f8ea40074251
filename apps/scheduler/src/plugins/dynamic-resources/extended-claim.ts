import { getOwn } from '@annex/machinery';
import type { DeviceRequest, ResourceClaim } from '../../objects/devices.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { Container, ExtendedResourceClaimStatus, Pod } from '../../objects/pod.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { amountOf, isDeviceResource } from '../../objects/resources.ts';
import type { DeviceBackedResources } from './device-backed.ts';

/** A claim that the scheduler makes for the extended resources of a Pod on a node. */
export interface ExtendedClaim {
  readonly claim: ResourceClaim;
  readonly mappings: Mappings;
}

type Mappings = ExtendedResourceClaimStatus['requestMappings'];

const extendedClaimAnnotation = 'resource.kubernetes.io/extended-resource-claim';

/** Returns whether devices may have to provide an extended resource of a Pod. */
export const needsDevices = ({ requests }: PodInfo, { isBacked }: DeviceBackedResources): boolean =>
  [...requests].some(([name, amount]) => amount > 0 && isDeviceResource(name) && isBacked(name));

/** Returns whether a claim was made for the extended resources of a Pod, in an earlier attempt. */
export const isExtendedClaimOf = ({ pod }: PodInfo, { metadata }: ResourceClaim): boolean =>
  metadata.annotations?.[extendedClaimAnnotation] === 'true' &&
  (metadata.ownerReferences ?? []).some(
    ({ name, controller, uid }) =>
      name === pod.metadata.name && controller === true && uid === pod.metadata.uid,
  );

/** Returns whether a Pod needs an extended resource that neither the node nor any device class provides. */
export const lacksResource = (
  { requests }: PodInfo,
  node: NodeInfo,
  { isBacked }: DeviceBackedResources,
): boolean =>
  [...requests].some(
    ([name, amount]) =>
      amount > 0 && isDeviceResource(name) && !isBacked(name) && !node.allocatable.has(name),
  );

interface ContainerRequest {
  /** The request, unless the container uses devices of others only. */
  readonly request: DeviceRequest | undefined;
  readonly mappings: Mappings;
}

/**
 * Returns the claim for the resources that the node itself does not have; `undefined` if it has all. Init containers use the devices of
 * the containers that start after them, and one request for what more the largest of them needs.
 */
export function extendedClaimFor(
  { pod, requests: amounts }: PodInfo,
  node: NodeInfo,
  { classOf }: DeviceBackedResources,
): ExtendedClaim | undefined {
  const requests: DeviceRequest[] = [];
  const mappings: Mappings[number][] = [];
  for (const resource of [...amounts.keys()].toSorted()) {
    const deviceClass = isDeviceResource(resource) ? classOf(resource) : undefined;
    if (deviceClass === undefined || amounts.get(resource) === 0) continue;
    if ((node.allocatable.get(resource) ?? 0) > 0) continue;
    const found = requestsOf(pod, resource, deviceClass.metadata.name ?? '');
    requests.push(...found.requests);
    mappings.push(...found.mappings);
  }
  if (requests.length === 0) return undefined;
  return {
    claim: claimOf(
      pod,
      requests.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ),
    mappings,
  };
}

function requestsOf(
  { spec }: Pod,
  resource: string,
  deviceClass: string,
): { requests: DeviceRequest[]; mappings: Mappings } {
  const inits = spec.initContainers ?? [];
  const containers: readonly Container[] = [...inits, ...spec.containers];
  const isShort = containers.map(({ restartPolicy }, i) => i < inits.length && restartPolicy !== 'Always');
  const long = containers.map((container, i) =>
    isShort[i] ? undefined : requestOf(container, i, { resource, deviceClass, reusable: [] }),
  );
  const longRequests = long.map((one) => one?.request);
  const short = containers.flatMap((container, i) => {
    const reusable = longRequests.slice(i).filter((one) => one !== undefined);
    return isShort[i] ? [requestOf(container, i, { resource, deviceClass, reusable })] : [];
  });
  const shortRequests = short.flatMap(({ request }) => request ?? []);
  const largest = shortRequests.reduce<DeviceRequest | undefined>(
    (most, one) => (most === undefined || countOf(most) < countOf(one) ? one : most),
    undefined,
  );
  const replaced = new Set(shortRequests.map(({ name }) => name));
  const shortMappings = short
    .flatMap(({ mappings }) => mappings)
    .map((one) =>
      largest !== undefined && replaced.has(one.requestName) ? { ...one, requestName: largest.name } : one,
    );
  return {
    requests: [largest, ...longRequests].filter((one) => one !== undefined),
    mappings: [...long.flatMap((one) => one?.mappings ?? []), ...shortMappings],
  };
}

const countOf = ({ exactly }: DeviceRequest): number => exactly?.count ?? 0;

/** Returns what a container uses: devices of others, and a request for those that are missing. */
function requestOf(
  { name: containerName, resources }: Container,
  index: number,
  from: { resource: string; deviceClass: string; reusable: readonly DeviceRequest[] },
): ContainerRequest {
  const { resource: resourceName, deviceClass: deviceClassName, reusable } = from;
  const own = resources?.requests ?? {};
  const amount = amountOf(resourceName, getOwn(own, resourceName) ?? 0);
  if (amount === 0) return { request: undefined, mappings: [] };
  const mappings: Mappings[number][] = [];
  let sum = 0;
  for (const other of reusable) {
    sum += countOf(other);
    mappings.push({ containerName, resourceName, requestName: other.name });
    if (sum >= amount) return { request: undefined, mappings };
  }
  const requestName = `container-${index}-request-${Object.keys(own).toSorted().indexOf(resourceName)}`;
  const exactly = { deviceClassName, allocationMode: 'ExactCount', count: amount - sum };
  mappings.push({ containerName, resourceName, requestName });
  return { request: { name: requestName, exactly }, mappings };
}

function claimOf({ metadata }: Pod, requests: readonly DeviceRequest[]): ResourceClaim {
  const { namespace = '', name = '', uid = '' } = metadata;
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {
      namespace,
      generateName: `${name}-extended-resources-`,
      annotations: { [extendedClaimAnnotation]: 'true' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid, controller: true }],
    },
    spec: { devices: { requests } },
  };
}
