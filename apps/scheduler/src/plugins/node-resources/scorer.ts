import type { ResourceSpec, ShapePoint } from '../../config/types.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { isScalarResource } from '../../objects/resources.ts';

/** Scores a node by the amounts of one resource after the Pod is added: from 0 to 100. */
export type ResourceScore = (requested: number, allocatable: number) => number;

export const leastAllocated: ResourceScore = (requested, allocatable) =>
  requested > allocatable ? 0 : Math.trunc(((allocatable - requested) * 100) / allocatable);

export const mostAllocated: ResourceScore = (requested, allocatable) =>
  Math.trunc((Math.min(requested, allocatable) * 100) / allocatable);

/** Interpolates between the points of a shape, whose scores are from 0 to 10. */
export function byShape(shape: readonly ShapePoint[]): ResourceScore {
  const points = shape.map(({ utilization = 0, score = 0 }) => ({ utilization, score: score * 10 }));
  const interpolate = (utilization: number): number => {
    for (const [i, point] of points.entries()) {
      if (utilization > point.utilization) continue;
      const before = points[i - 1];
      if (before === undefined) return point.score;
      const share = (point.score - before.score) * (utilization - before.utilization);
      return before.score + Math.trunc(share / (point.utilization - before.utilization));
    }
    return points.at(-1)?.score ?? 0;
  };
  return (requested, allocatable) =>
    interpolate(requested > allocatable ? 100 : Math.trunc((requested * 100) / allocatable));
}

/** The amounts of one resource on a node. */
export interface NodeAmounts {
  allocatable: number;
  /** Without and with the Pod. */
  allocated: number;
  requested: number;
}

/** Amounts of extended resources that devices back, on nodes without own ones. */
export type DeviceAmounts = (
  resource: string,
  node: NodeInfo,
) => { allocatable: number; allocated: number } | undefined;

/**
 * Returns the amounts of a resource; `undefined` if it does not count for the node. With `isAssumed`, containers without requests count
 * with assumed amounts of CPU and memory.
 */
export function nodeAmounts(
  name: string,
  pod: PodInfo,
  node: NodeInfo,
  { isAssumed, devices }: { isAssumed: boolean; devices?: DeviceAmounts },
): NodeAmounts | undefined {
  const request = requestOf(name, pod, isAssumed);
  if (request === 0 && isScalarResource(name)) return undefined;
  const own = node.allocatable.get(name) ?? 0;
  const backed = own === 0 ? devices?.(name, node) : undefined;
  const allocatable = backed?.allocatable ?? own;
  if (allocatable === 0) return undefined;
  const allocated = backed?.allocated ?? allocatedOf(name, node, isAssumed);
  return { allocatable, allocated, requested: allocated + request };
}

// kube-scheduler forgets requests of the Pod itself where it assumes amounts, but counts them once the Pod is on a node.
const requestOf = (name: string, pod: PodInfo, isAssumed: boolean): number =>
  (isAssumed ? pod.ofContainers : pod.requests).get(name) ?? 0;

function allocatedOf(name: string, node: NodeInfo, isAssumed: boolean): number {
  if (isAssumed && name === 'cpu') return node.assumedCpu;
  if (isAssumed && name === 'memory') return node.assumedMemory;
  return node.requested.get(name) ?? 0;
}

/** Returns the weighted mean of the scores of resources. */
export function meanScore(
  resources: readonly ResourceSpec[],
  amounts: (name: string) => NodeAmounts | undefined,
  score: ResourceScore,
  options: { leaveOutZeros: boolean },
): number {
  let sum = 0;
  let weights = 0;
  for (const { name, weight } of resources) {
    const found = amounts(name);
    if (found === undefined) continue;
    const one = score(found.requested, found.allocatable);
    if (options.leaveOutZeros && one <= 0) continue;
    sum += one * weight;
    weights += weight;
  }
  if (weights === 0) return 0;
  return options.leaveOutZeros ? Math.round(sum / weights) : Math.trunc(sum / weights);
}
