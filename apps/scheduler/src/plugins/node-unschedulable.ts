import { builtInPlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { isTolerated } from '../objects/tolerations.ts';

const refusal = unresolvable('node(s) were unschedulable');
const taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const isCordoned = ({ node }: NodeInfo): boolean => node.spec?.unschedulable === true;

/** Refuses nodes with `spec.unschedulable`, unless the Pod tolerates their taint. */
export const nodeUnschedulable = builtInPlugin('NodeUnschedulable', () => ({
  filter: (_cycle, pod, node) =>
    isCordoned(node) && !isTolerated(pod.tolerations, taint) ? refusal : undefined,
  events: [
    {
      resource: 'Node',
      actions: ['Add', 'UpdateNodeTaint'],
      hint: (_pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo) =>
        (before === undefined || isCordoned(before)) && !isCordoned(after),
    },
    {
      resource: 'Pod',
      actions: ['UpdatePodToleration'],
      hint: (pod: PodInfo, _before: PodInfo, after: PodInfo) =>
        pod.uid === after.uid && isTolerated(after.tolerations, taint),
    },
  ],
}));
