import { builtInPlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import type { PodInfo } from '../objects/pod-info.ts';

const gated = unresolvable('waiting for scheduling gates');

/** Keeps Pods with scheduling gates out of the queue. */
export const schedulingGates = builtInPlugin('SchedulingGates', () => ({
  preEnqueue: ({ pod }) => ((pod.spec.schedulingGates ?? []).length > 0 ? gated : undefined),
  events: [
    {
      resource: 'Pod',
      actions: ['UpdatePodSchedulingGatesEliminated'],
      hint: (pod: PodInfo, _before: PodInfo, after: PodInfo) => pod.uid === after.uid,
    },
  ],
}));
