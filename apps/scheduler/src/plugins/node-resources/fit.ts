import { aggregateText } from '@annex/auth';
import type { NodeResourcesFitArgs } from '../../config/types.ts';
import { validateFitArguments } from '../../config/validate-arguments.ts';
import { fieldErrorText } from '@annex/machinery';
import { builtInPlugin } from '../../framework/plugin.ts';
import { Status } from '../../framework/status.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import {
  type Amounts,
  isDeviceResource,
  isExtendedResource,
  isScalarResource,
} from '../../objects/resources.ts';
import { deviceBackedResources } from '../dynamic-resources/device-backed.ts';
import { isPlaced } from '../placed.ts';
import {
  byShape,
  leastAllocated,
  meanScore,
  mostAllocated,
  nodeAmounts,
  type ResourceScore,
} from './scorer.ts';

const scores: ReadonlyMap<string, ResourceScore> = new Map([
  ['LeastAllocated', leastAllocated],
  ['MostAllocated', mostAllocated],
]);

/** What the filter leaves out. */
interface Ignored {
  isIgnored(resource: string): boolean;
  /** True if devices can provide an extended resource. */
  isDeviceBacked(resource: string): boolean;
}

/** Refuses nodes without the requested resources, and scores by one of three strategies. */
export const nodeResourcesFit = builtInPlugin<NodeResourcesFitArgs>('NodeResourcesFit', (args, handle) => {
  const errors = validateFitArguments(args).map(fieldErrorText);
  if (errors.length > 0) throw new Error(aggregateText(errors));
  const { ignoredResources, ignoredResourceGroups, scoringStrategy } = args;
  const { type, resources, requestedToCapacityRatio } = scoringStrategy;
  const score = scores.get(type) ?? byShape(requestedToCapacityRatio?.shape ?? []);
  const backed = deviceBackedResources(handle);
  const ignored: Ignored = {
    isIgnored: (name) =>
      isExtendedResource(name) &&
      (ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split('/', 1)[0] ?? '')),
    isDeviceBacked: (name) => backed.isBacked(name),
  };
  const hasExtended = resources.some(({ name }) => isDeviceResource(name));
  return {
    filter: (_cycle, pod, node) => insufficient(pod.requests, node, ignored),
    score(cycle, pod, node) {
      const options = { isAssumed: true, ...(hasExtended && { devices: backed.amounts(cycle) }) };
      return meanScore(resources, (name) => nodeAmounts(name, pod, node, options), score, {
        leaveOutZeros: type === 'RequestedToCapacityRatio',
      });
    },
    events: [
      {
        resource: 'Pod',
        actions: ['Delete', 'UpdatePodScaleDown'],
        hint: (pod: PodInfo, before: PodInfo, after: PodInfo | undefined) =>
          after === undefined ? isPlaced(before) : mayScaleDownHelp(pod, before, after),
      },
      {
        resource: 'Node',
        actions: ['Add', 'UpdateNodeAllocatable'],
        hint: (pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo) =>
          insufficient(pod.requests, after, ignored) === undefined &&
          (before === undefined || hasMore(pod.requests, before, after, ignored)),
      },
      { resource: 'DeviceClass', actions: ['Add', 'Update'], hint: backed.isHelpfulClass },
    ],
  };
});

const tooManyPods = 'Too many pods';
const statuses = new Map<string, Status>();

/** Returns a status that all nodes with these reasons share. */
function statusOf(reasons: readonly string[], isUnresolvable: boolean): Status {
  const key = `${isUnresolvable}/${reasons.join('/')}`;
  const found =
    statuses.get(key) ??
    new Status(isUnresolvable ? 'unresolvable' : 'unschedulable', reasons, 'NodeResourcesFit');
  // Extended resources have any names: the table only saves allocations.
  if (statuses.size < 1_000) statuses.set(key, found);
  return found;
}

/** Returns the refusal of a node: `Insufficient` for every resource that is missing. */
function insufficient(
  requests: Amounts,
  node: NodeInfo,
  { isIgnored, isDeviceBacked }: Ignored,
): Status | undefined {
  let reasons: string[] | undefined;
  let isUnresolvable = false;
  if (node.pods.size + 1 > node.allowedPods) reasons = [tooManyPods];
  for (const [name, amount] of requests) {
    if (amount === 0) continue;
    const allocatable = node.allocatable.get(name) ?? 0;
    if (amount <= allocatable - (node.requested.get(name) ?? 0)) continue;
    if (!isCounted(name) || isIgnored(name)) continue;
    if (allocatable === 0 && isDeviceBacked(name)) continue;
    (reasons ??= []).push(`Insufficient ${name}`);
    isUnresolvable ||= amount > allocatable;
  }
  return reasons === undefined ? undefined : statusOf(reasons, isUnresolvable);
}

const isCounted = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isScalarResource(name);

function mayScaleDownHelp(pod: PodInfo, before: PodInfo, after: PodInfo): boolean {
  if (after.uid === pod.uid) return true;
  if ((after.pod.spec.nodeName ?? '') === '') return false;
  for (const [name, amount] of pod.requests)
    if (amount > 0 && (before.requests.get(name) ?? 0) > (after.requests.get(name) ?? 0)) return true;
  return false;
}

function hasMore(requests: Amounts, before: NodeInfo, after: NodeInfo, { isDeviceBacked }: Ignored): boolean {
  if (after.allowedPods > before.allowedPods) return true;
  for (const [name, amount] of requests) {
    if (amount === 0) continue;
    if ((after.allocatable.get(name) ?? 0) > (before.allocatable.get(name) ?? 0)) return true;
    if (isDeviceResource(name) && !after.allocatable.get(name) && isDeviceBacked(name)) return true;
  }
  return false;
}
