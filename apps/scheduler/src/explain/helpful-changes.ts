import type { PodInfo } from '../objects/pod-info.ts';
import type { NodeExplanation } from './explain-pod.ts';

/** What to do about the refusals of each plugin. */
const advice: ReadonlyMap<string, string> = new Map([
  ['NodeUnschedulable', 'uncordon a node: kubectl uncordon NODE'],
  ['NodeName', 'create the node that spec.nodeName names'],
  ['TaintToleration', 'add a toleration to the Pod, or remove the taint: kubectl taint node NODE KEY-'],
  ['NodeAffinity', 'label a node as nodeSelector and node affinity require, or relax them'],
  ['NodePorts', 'free the host port, or add a node'],
  ['VolumeRestrictions', 'end the Pod that uses the volume or the claim'],
  ['NodeVolumeLimits', 'end a Pod with volumes of the driver, or add a node'],
  ['VolumeBinding', 'create the claim, a volume that the node can use, or a class that provisions one'],
  ['VolumeZone', 'add a node in the zone of the volume'],
  ['PodTopologySpread', 'add a node in the domain with the fewest Pods, or relax maxSkew'],
  [
    'InterPodAffinity',
    'start the Pods that affinity names, end those that anti-affinity names, or add a node',
  ],
  ['DynamicResources', 'free a device, or add a ResourceSlice with devices of the class'],
  ['NodeDeclaredFeatures', 'add a node whose kubelet declares the feature'],
]);

/** Returns what would have to change so that a refused Pod fits, by the plugins that refused it; most nodes first. */
export function helpfulChanges(pod: PodInfo, nodes: readonly NodeExplanation[]): string[] {
  const counts = new Map<string, number>();
  for (const { refusedBy = '' } of nodes)
    for (const plugin of refusedBy.split(', ')) counts.set(plugin, (counts.get(plugin) ?? 0) + 1);
  const changes = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([plugin, count]) => `${plugin} (${count} of ${nodes.length} nodes): ${adviceFor(plugin, pod)}`);
  const possible = nodes.filter(({ isPreemptionPossible }) => isPreemptionPossible).map(({ node }) => node);
  return possible.length === 0
    ? changes
    : [
        ...changes,
        `the end of other Pods on ${possible.slice(0, 3).join(', ')}${possible.length > 3 ? ' and others' : ''}`,
      ];
}

function adviceFor(plugin: string, { requests }: PodInfo): string {
  if (plugin !== 'NodeResourcesFit') return advice.get(plugin) ?? 'see the reasons of the nodes';
  const texts = [...requests].map(([name, amount]) => `${name} ${name === 'cpu' ? `${amount}m` : amount}`);
  return `request less than ${texts.join(', ') || 'a place for a Pod'}, or add a larger node`;
}
