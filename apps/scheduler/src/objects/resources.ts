import { Quantity } from '@annex/machinery';
import type { Container, ContainerStatus, Pod, PodStatus, ResourceList } from './pod.ts';

/** Amounts by the name of the resource: CPU in thousandths, other resources in their unit. Rounded up. */
export type Amounts = Map<string, number>;

/** Requests that spreading by resources assumes for containers without requests. Source: kube-scheduler. */
const assumedRequests: ReadonlyMap<string, number> = new Map([
  ['cpu', 100],
  ['memory', 200 * 1024 * 1024],
]);

// Quantities repeat: thousands of Pods have the same few texts.
const rememberedTexts = 10_000;
const parsed = { cpu: new Map<string, number>(), other: new Map<string, number>() };

/** Returns the amount of a quantity. Invalid quantities, which an API server does not store, are 0. */
export function amountOf(resource: string, quantity: string | number): number {
  const known = resource === 'cpu' ? parsed.cpu : parsed.other;
  const text = String(quantity);
  const found = known.get(text);
  if (found !== undefined) return found;
  const amount = parseAmount(resource, text);
  if (known.size >= rememberedTexts) known.clear();
  known.set(text, amount);
  return amount;
}

function parseAmount(resource: string, text: string): number {
  try {
    return Number(Quantity.parse(text).scaledValue(resource === 'cpu' ? -3 : 0));
  } catch {
    return 0;
  }
}

/** Returns the amounts of a list. */
export const amountsOf = (list: ResourceList = {}): Amounts =>
  new Map(Object.entries(list).map(([name, quantity]) => [name, amountOf(name, quantity)]));

/** The request of a Pod. */
export interface PodRequests {
  requests: Amounts;
  /** CPU and memory with the amounts that are assumed for containers without requests. */
  assumedCpu: number;
  assumedMemory: number;
}

/**
 * Returns what a Pod requests: containers and sidecars together or the largest init container, replaced by the requests of the Pod
 * itself, with the overhead. A Pod that is being resized has the larger of both sizes. Source: k8s.io/component-helpers.
 */
export function podRequests(pod: Pod): PodRequests {
  const requests = totalOf(pod, new Map());
  const total = totalOf(pod, assumedRequests);
  return { requests, assumedCpu: total.get('cpu') ?? 0, assumedMemory: total.get('memory') ?? 0 };
}

/**
 * Returns what the containers of a Pod request, with the amounts that are assumed for those without requests. Requests of the Pod
 * itself, and what its containers have at present, do not count.
 */
export function containerRequests({ metadata, spec }: Pod): Amounts {
  const { resources: _ofPod, ...others } = spec;
  return totalOf({ metadata, spec: others }, assumedRequests);
}

function totalOf(pod: Pod, assumed: ReadonlyMap<string, number>): Amounts {
  const { spec, status = {} } = pod;
  const statuses = new Map<string, ContainerStatus>();
  for (const one of [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])])
    statuses.set(one.name, one);
  const isInfeasible = isResizeInfeasible(status);
  const effective = (container: Container, isResizable: boolean): Amounts => {
    const own = amountsOf(container.resources?.requests);
    const reported = isResizable ? statuses.get(container.name) : undefined;
    const requests = reported?.resources === undefined ? own : sizeOf(own, reported, isInfeasible);
    for (const [name, amount] of assumed) if (!requests.has(name)) requests.set(name, amount);
    return requests;
  };
  const total: Amounts = new Map();
  for (const container of spec.containers ?? []) addAll(total, effective(container, true));
  const largest: Amounts = new Map();
  const sidecars: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always';
    const requests = effective(container, isSidecar);
    if (isSidecar) {
      addAll(total, requests);
      addAll(sidecars, requests);
      raiseAll(largest, sidecars);
    } else {
      addAll(requests, sidecars);
      raiseAll(largest, requests);
    }
  }
  raiseAll(total, largest);
  applyPodLevel(total, pod, isInfeasible);
  addAll(total, amountsOf(spec.overhead));
  return total;
}

function applyPodLevel(total: Amounts, { spec, status }: Pod, isInfeasible: boolean): void {
  const own = amountsOf(spec.resources?.requests);
  const reported =
    status?.resources === undefined
      ? undefined
      : { resources: status.resources, allocatedResources: status.allocatedResources ?? {} };
  const requests = reported === undefined || own.size === 0 ? own : sizeOf(own, reported, isInfeasible);
  for (const [name, amount] of requests) if (isPodLevelResource(name)) total.set(name, amount);
}

const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

/** Returns the largest of what is requested, what is used and what is allocated. */
function sizeOf(
  own: Amounts,
  reported: Pick<ContainerStatus, 'resources' | 'allocatedResources'>,
  isInfeasible: boolean,
): Amounts {
  const size: Amounts = isInfeasible ? new Map() : new Map(own);
  raiseAll(size, amountsOf(reported.resources?.requests));
  raiseAll(size, amountsOf(reported.allocatedResources));
  return size;
}

const isResizeInfeasible = ({ conditions = [] }: PodStatus): boolean =>
  conditions.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible');

/** Adds every amount. */
export function addAll(total: Amounts, more: Amounts, sign: 1 | -1 = 1): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + sign * amount);
}

function raiseAll(total: Amounts, other: Amounts): void {
  for (const [name, amount] of other) if (amount > (total.get(name) ?? -1)) total.set(name, amount);
}

const nativePrefix = 'kubernetes.io/';

/** Extended resources have a prefix that is not Kubernetes' own. */
export const isExtendedResource = (name: string): boolean =>
  name.includes('/') && !name.includes(nativePrefix) && !name.startsWith('requests.');

/** Resources that are named after the class of devices that provides them. */
export const deviceClassPrefix = 'deviceclass.resource.kubernetes.io/';

/** Resources that devices may provide. */
export const isDeviceResource = (name: string): boolean =>
  isExtendedResource(name) || name.startsWith(deviceClassPrefix);

/** Resources besides CPU, memory, ephemeral storage and the number of Pods that nodes have. */
export const isScalarResource = (name: string): boolean =>
  isExtendedResource(name) ||
  name.startsWith('hugepages-') ||
  name.includes(nativePrefix) ||
  name.startsWith('attachable-volumes-');
