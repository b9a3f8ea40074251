import { Quantity } from '@annex/machinery';
import type { NodeInfo } from '../objects/node-info.ts';
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../objects/pod.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { isTolerated } from '../objects/tolerations.ts';

/** What a plugin refused: a Pod on nodes, with the reasons. */
export interface Refused {
  pod: PodInfo;
  nodes: readonly NodeInfo[];
  reasons: ReadonlySet<string>;
}

/** Returns what would have to change so that a plugin of kube-scheduler accepts the Pod. */
export const adviceOf = (plugin: string, refused: Refused): string =>
  advice.get(plugin)?.(refused) ?? 'see the reasons of the nodes';

const listed = (texts: Iterable<string>): string => [...new Set(texts)].join(', ');

const advice: ReadonlyMap<string, (refused: Refused) => string> = new Map<
  string,
  (refused: Refused) => string
>([
  ['NodeUnschedulable', () => 'uncordon a node: kubectl uncordon NODE'],
  ['NodeName', ({ pod }) => `create the node ${pod.pod.spec.nodeName}`],
  ['TaintToleration', taints],
  ['NodeAffinity', nodeAffinity],
  [
    'NodePorts',
    ({ pod }) => `end the Pod with host port ${listed(pod.hostPorts.map(({ id }) => id))}, or add a node`,
  ],
  ['NodeResourcesFit', room],
  ['VolumeRestrictions', ifClaimed('end the Pod that uses the volume or the claim')],
  ['NodeVolumeLimits', ifClaimed('end a Pod with volumes of the driver, or add a node')],
  ['VolumeBinding', volumes],
  ['VolumeZone', ifClaimed('add a node in the zone of the volume')],
  ['PodTopologySpread', spread],
  ['InterPodAffinity', podAffinity],
  ['DynamicResources', devices],
  ['NodeDeclaredFeatures', () => 'add a node whose kubelet declares the feature'],
]);

function taints({ pod, nodes }: Refused): string {
  const repelling = nodes.flatMap((node) =>
    node.taints.filter(
      (taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(pod.tolerations, taint),
    ),
  );
  const texts = repelling.map(
    ({ key, value = '', effect }) => `${key}${value === '' ? '' : `=${value}`}:${effect}`,
  );
  return `add a toleration of ${listed(texts)} to the Pod, or remove a taint: kubectl taint node NODE ${repelling[0]?.key ?? 'KEY'}-`;
}

function nodeAffinity(refused: Refused): string {
  const names = namedNodes(refused);
  if (names !== undefined) return `the Pod is only for the node ${names}: add it, or change the Pod`;
  return `label a node as the Pod requires${requiredText(refused)}: kubectl label node NODE KEY=VALUE; or relax it`;
}

/** Returns the nodes that the terms of a Pod name; `undefined` if a term has other requirements. */
function namedNodes({ pod: { pod } }: Refused): string | undefined {
  const { affinity, nodeSelector } = pod.spec;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const isNamed = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean =>
    matchExpressions.length === 0 &&
    matchFields.length > 0 &&
    matchFields.every(({ operator }) => operator === 'In');
  if (nodeSelector !== undefined || terms.length === 0 || !terms.every(isNamed)) return undefined;
  return terms
    .flatMap(({ matchFields = [] }) => matchFields.flatMap(({ values = [] }) => values))
    .join(' or ');
}

function requiredText({ pod: { pod } }: Refused): string {
  const { affinity, nodeSelector = {} } = pod.spec;
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const parts = [...labels, ...(terms.length === 0 ? [] : [terms.map(termText).join(' or ')])];
  return parts.length === 0 ? '' : ` (${parts.join(' and ')})`;
}

const termText = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): string =>
  [...matchExpressions, ...matchFields].map(requirementText).join(' and ') || 'nothing';

const requirementText = ({ key, operator, values = [] }: NodeSelectorRequirement): string =>
  [key, operator, values.join('|')].filter((part) => part !== '').join(' ');

/** The resources of which no node has enough, with the most that one has free. */
function room({ pod, nodes, reasons }: Refused): string {
  const parts = [...pod.requests].flatMap(([name, amount]) => {
    if (!reasons.has(`Insufficient ${name}`)) return [];
    const free = nodes.map((node) => (node.allocatable.get(name) ?? 0) - (node.requested.get(name) ?? 0));
    const most = Math.max(0, ...free);
    return [`${amountText(name, amount)} of ${name}, of which a node has ${amountText(name, most)} free`];
  });
  const places = reasons.has('Too many pods') ? ['a place for a Pod'] : [];
  return `the Pod needs ${[...parts, ...places].join('; ') || 'more than a node has'}: request less, end other Pods, or add a larger node`;
}

/** Formats an amount as it is written in a request. */
function amountText(resource: string, amount: number): string {
  if (resource === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  return Quantity.of(amount, amount < 1024 ? 'DecimalSI' : 'BinarySI').toString();
}

/** Plugins before VolumeBinding report claims that do not exist. */
function ifClaimed(advised: string): (refused: Refused) => string {
  return ({ reasons }) =>
    [...reasons].some((reason) => reason.includes('not found')) ? 'create the claim' : advised;
}

function volumes({ reasons }: Refused): string {
  const text = listed(reasons);
  if (text.includes('not found')) return 'create the claim';
  if (text.includes('waiting for ephemeral volume controller'))
    return 'start the controller that creates claims of ephemeral volumes: kube-controller-manager';
  if (text.includes('unbound immediate'))
    return 'bind the claim: create a volume of its class, or start the provisioner of the class';
  if (text.includes('non-existent pv')) return 'create the volume that the claim is bound to';
  if (text.includes('is being deleted')) return 'create the claim again';
  if (text.includes('node affinity')) return 'add a node that the volume can be used on';
  return 'create a volume that the node can use, or a class that provisions one';
}

function spread({ reasons }: Refused): string {
  return [...reasons].some((reason) => reason.includes('missing required label'))
    ? 'label the nodes with the topologyKey of the constraint, and add a node in the domain with the fewest Pods'
    : 'add a node in the domain with the fewest Pods, or relax maxSkew';
}

function podAffinity({ reasons }: Refused): string {
  const changes = [...reasons].map((reason) => {
    if (reason.includes('existing pods')) return 'end the Pods whose anti-affinity names this one';
    return reason.includes('anti-affinity')
      ? 'end the Pods that its anti-affinity names, or add a node in another domain'
      : 'start a Pod that its affinity names, on a node with the topologyKey';
  });
  return listed(changes).replaceAll(', end', '; end');
}

function devices({ reasons }: Refused): string {
  const text = listed(reasons);
  if (text.includes('device class')) return 'create the DeviceClass';
  if (text.includes('resourceclaim not available')) return 'end the Pods that use the claim on other nodes';
  if (text.includes('in use')) return 'end one of the Pods that use the claim';
  if (text.includes('cannot fit resource')) return 'add a node that has the extended resource';
  return 'free a device, or add a ResourceSlice with devices of the class';
}
