import { deepEqual } from '@annex/machinery';
import { builtInPlugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/status.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { Pod } from '../objects/pod.ts';
import type { PodInfo } from '../objects/pod-info.ts';

const refusal = unresolvable("node(s) didn't match Pod's required features");

/** Features of kubelets that Pods can require. Source: k8s.io/component-helpers. */
const features: readonly [name: string, isRequired: (pod: Pod) => boolean][] = [
  [
    'RestartAllContainersOnContainerExits',
    ({ spec }) =>
      [...spec.containers, ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
        restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
      ),
  ],
  ['UserNamespacesHostNetworkSupport', ({ spec }) => spec.hostNetwork === true && spec.hostUsers === false],
];

const requiredFeatures = ({ pod }: PodInfo): string[] =>
  features.filter(([, isRequired]) => isRequired(pod)).map(([name]) => name);

const declares = ({ node }: NodeInfo, required: readonly string[]): boolean =>
  required.every((name) => node.status?.declaredFeatures?.includes(name));

/** Refuses nodes whose kubelet does not declare a feature that the Pod requires. */
export const nodeDeclaredFeatures = builtInPlugin('NodeDeclaredFeatures', (_args, { features: gates }) => ({
  preFilter: (_cycle, pod) =>
    gates.has('NodeDeclaredFeatures') && requiredFeatures(pod).length > 0 ? undefined : 'skip',
  filter: (_cycle, pod, node) => (declares(node, requiredFeatures(pod)) ? undefined : refusal),
  events: [
    {
      resource: 'Node',
      actions: ['Add', 'UpdateNodeDeclaredFeature'],
      hint: (pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo) =>
        declares(after, requiredFeatures(pod)) &&
        (before === undefined || !declares(before, requiredFeatures(pod))),
    },
    {
      resource: 'Pod',
      actions: ['Update'],
      hint: (pod: PodInfo, before: PodInfo | undefined, after: PodInfo | undefined) =>
        after?.uid === pod.uid &&
        before !== undefined &&
        !deepEqual(requiredFeatures(before), requiredFeatures(after)),
    },
  ],
}));
