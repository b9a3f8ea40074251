import { builtInPlugin } from '../framework/plugin.ts';
import { unschedulable } from '../framework/status.ts';
import { UsedPorts } from '../objects/host-ports.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { isPlaced } from './placed.ts';

const refusal = unschedulable("node(s) didn't have free ports for the requested pod ports");

/** Refuses nodes where another Pod uses a host port of the Pod. */
export const nodePorts = builtInPlugin('NodePorts', () => ({
  preFilter: (_cycle, pod) => (pod.hostPorts.length === 0 ? 'skip' : undefined),
  filter: (_cycle, pod, node) =>
    pod.hostPorts.every((port) => node.ports.isFree(port)) ? undefined : refusal,
  events: [
    {
      resource: 'Pod',
      actions: ['Delete'],
      hint(pod: PodInfo, before: PodInfo) {
        if (!isPlaced(before)) return false;
        const freed = new UsedPorts(before.hostPorts);
        return !pod.hostPorts.every((port) => freed.isFree(port));
      },
    },
    { resource: 'Node', actions: ['Add'] },
  ],
}));
