import { builtInPlugin } from '../framework/plugin.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';

const mebibyte = 1024 * 1024;
/** Bytes of images that score 0, and bytes for each container that score 100. Source: kube-scheduler. */
const smallest = 23 * mebibyte;
const largest = 1000 * mebibyte;

/** Prefers nodes that have the images of the Pod; images that few nodes have count less, so that nodes do not heat up. */
export const imageLocality = builtInPlugin('ImageLocality', (_args, { cluster }) => ({
  score(_cycle, pod, node) {
    const { initContainers = [], containers } = pod.pod.spec;
    const bytes = presentBytes(pod, node, cluster.nodes.length);
    const limit = largest * (initContainers.length + containers.length);
    const counted = Math.min(Math.max(bytes, smallest), limit);
    return Math.trunc((100 * (counted - smallest)) / (limit - smallest));
  },
}));

function presentBytes({ pod: { spec } }: PodInfo, { images }: NodeInfo, totalNodes: number): number {
  if (images.size === 0) return 0;
  const names = [
    ...(spec.initContainers ?? []).map(({ image }) => image),
    ...spec.containers.map(({ image }) => image),
    ...(spec.volumes ?? []).map(({ image }) => image?.reference),
  ];
  let sum = 0;
  for (const name of names) {
    const image = images.get(normalized(name ?? ''));
    if (image !== undefined) sum += Math.trunc(image.size * (image.spread.nodes / totalNodes));
  }
  return sum;
}

const normalized = (name: string): string =>
  name.lastIndexOf(':') <= name.lastIndexOf('/') ? `${name}:latest` : name;
