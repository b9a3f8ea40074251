import { builtInPlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { isRepelled, isTolerated } from '../objects/tolerations.ts';
import { scaleScores } from './normalize.ts';

const refusal = unresolvable('node(s) had untolerated taint(s)');

/** Refuses nodes with taints that the Pod does not tolerate; prefers nodes with few PreferNoSchedule taints. */
export const taintToleration = builtInPlugin('TaintToleration', () => ({
  filter: (_cycle, pod, node) => (isRepelled(pod.tolerations, node.taints) ? refusal : undefined),
  score(_cycle, pod, node) {
    const tolerations = pod.tolerations.filter(
      ({ effect = '' }) => effect === '' || effect === 'PreferNoSchedule',
    );
    return node.taints.filter(
      (taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(tolerations, taint),
    ).length;
  },
  normalize: (_cycle, _pod, scores) => scaleScores(scores, true),
  events: [
    {
      resource: 'Node',
      actions: ['Add', 'UpdateNodeTaint'],
      hint: (pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo) =>
        (before === undefined || isRepelled(pod.tolerations, before.taints)) &&
        !isRepelled(pod.tolerations, after.taints),
    },
    {
      resource: 'Pod',
      actions: ['UpdatePodToleration'],
      hint: (pod: PodInfo, _before: PodInfo, after: PodInfo) => pod.uid === after.uid,
    },
  ],
}));
