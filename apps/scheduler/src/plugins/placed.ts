import type { PodInfo } from '../objects/pod-info.ts';

/** Returns whether a Pod took a place on a node: bound, or nominated. */
export const isPlaced = ({ pod }: PodInfo): boolean =>
  (pod.spec.nodeName ?? '') !== '' || (pod.status?.nominatedNodeName ?? '') !== '';
