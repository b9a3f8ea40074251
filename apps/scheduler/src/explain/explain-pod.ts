import type { Client } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';
import { nullLogger } from '@annex/runtime';
import { Cluster } from '../cache/cluster.ts';
import type { ObjectStore } from '../cache/object-store.ts';
import { defaultConfiguration } from '../config/decode.ts';
import type { SchedulerConfig } from '../config/types.ts';
import { activePods, collections } from '../cycle/collections.ts';
import { Decider, type Decision } from '../cycle/decide.ts';
import { Cycle } from '../framework/cycle.ts';
import type { DefinedPlugin } from '../framework/define-plugin.ts';
import type { Profile } from '../framework/profile.ts';
import { CycleError } from '../framework/status.ts';
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { dryPostFilter, dryProfile } from './dry-profile.ts';
import { furtherRefusals, type FurtherRefusal } from './further-refusals.ts';
import { helpfulChanges } from './helpful-changes.ts';

/** What the plugins say about one node. */
export interface NodeExplanation {
  node: string;
  /** The first plugin that refuses the Pod; absent if none does. */
  refusedBy?: string;
  reasons?: readonly string[];
  /** Further plugins that refuse it: those that a scheduler does not run once one has refused. */
  alsoRefusedBy?: readonly FurtherRefusal[];
  /** True if the end of other Pods could help. */
  isPreemptionPossible?: boolean;
  /** The weighted scores of a node that remained. */
  scores?: Record<string, number>;
  total?: number;
}

/** What a scheduler would decide about a Pod now. */
export interface Explanation {
  /** `namespace/name`. */
  pod: string;
  /** One sentence: bound, gated, nobody is responsible, fits, or refused. */
  state: string;
  /** The message that the scheduler writes; empty if the Pod fits. */
  message: string;
  nodes: readonly NodeExplanation[];
  /** What would have to change. */
  changes: readonly string[];
}

/** The Pod, and the configuration of its scheduler; the default one without it. */
export interface ExplainOptions {
  namespace: string;
  name: string;
  config?: SchedulerConfig | undefined;
  /** Plugins that the configuration enables besides those of kube-scheduler. */
  plugins?: readonly DefinedPlugin[];
}

/** Reads the cluster, and runs the plugins of the Pod's scheduler without a change. Throws StatusError if the Pod does not exist. */
export async function explainPod(
  client: Client,
  { namespace, name, config, plugins = [] }: ExplainOptions,
): Promise<Explanation> {
  const cluster = await loadCluster(client);
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const pod = new PodInfo(await client.json<Pod>({ path }));
  const { schedulerName = 'default-scheduler', nodeName = '' } = pod.pod.spec;
  const explained = { pod: pod.key, message: '', nodes: [], changes: [] };
  if (nodeName !== '') return { ...explained, state: `is bound to ${nodeName}` };
  const known = (config ?? defaultConfiguration()).profiles;
  const own =
    known.find((profile) => profile.schedulerName === schedulerName) ??
    (config === undefined ? known[0] : undefined);
  if (own === undefined)
    return { ...explained, state: `no profile of the configuration is named ${schedulerName}` };
  const victims: string[] = [];
  const profile = dryProfile({ ...own, schedulerName }, cluster, victims, { plugins });
  const gate = profile.at('preEnqueue').find((plugin) => plugin.preEnqueue?.(pod) !== undefined);
  if (gate !== undefined) {
    const message = gate.preEnqueue?.(pod)?.message ?? '';
    const changes = gateChanges(gate.name, pod);
    return { ...explained, state: `is kept out of the queue by ${gate.name}`, message, changes };
  }
  const explanation = await decided(cluster, profile, pod, victims);
  const isKnown = known.some((one) => one.schedulerName === schedulerName);
  return isKnown
    ? explanation
    : { ...explanation, changes: [unknownScheduler(schedulerName), ...explanation.changes] };
}

const unknownScheduler = (name: string): string =>
  `nothing looks at the Pod unless a scheduler named ${name} runs: start it, or change schedulerName`;

function gateChanges(plugin: string, { pod: { spec } }: PodInfo): string[] {
  if (plugin === 'DynamicResources')
    return [
      'create the ResourceClaim; kube-controller-manager creates those of templates, also for Pods that wait',
    ];
  return (spec.schedulingGates ?? []).map(({ name }) => `remove the scheduling gate ${name}`);
}

async function decided(
  cluster: Cluster,
  profile: Profile,
  pod: PodInfo,
  victims: readonly string[],
): Promise<Explanation> {
  const cycle = new Cycle();
  const percentageOfNodesToScore = 100;
  const decider = new Decider({ cluster, extenders: [], log: nullLogger, percentageOfNodesToScore });
  const explained = { pod: pod.key, nodes: [], changes: [] };
  let decision: Decision;
  try {
    decision = await decider.decide(profile, cycle, pod);
  } catch (error) {
    if (!(error instanceof CycleError)) throw error;
    const changes = ['mend what the message names: the scheduler tries again after its backoff'];
    return { ...explained, state: 'cannot be decided', message: error.message, changes };
  }
  if (decision.kind === 'noNodes')
    return {
      ...explained,
      state: 'there are no nodes',
      message: 'no nodes available to schedule pods',
      changes: ['add a node'],
    };
  const { diagnosis } = decision;
  const refused = refusalsOf(cluster, decision);
  if (decision.kind === 'refused') {
    const nominatedNode = await dryPostFilter(profile, cycle, pod, diagnosis);
    const nodes = refused.map((one): NodeExplanation => {
      // Without preFilter, filters have no state.
      if (diagnosis.preFilterMessage !== '') return one;
      const alsoRefusedBy = furtherRefusals(profile, cycle, pod, cluster.node(one.node), one.refusedBy);
      return alsoRefusedBy.length === 0 ? one : { ...one, alsoRefusedBy };
    });
    return {
      pod: pod.key,
      state: refusedState(nominatedNode, victims),
      message: diagnosis.message,
      nodes,
      changes: helpfulChanges(pod, nodes, cluster),
    };
  }
  const feasible = decision.scores.map(({ node, byPlugin, total }): NodeExplanation => ({
    node: node.name,
    scores: Object.fromEntries(byPlugin),
    total,
  }));
  const nodes =
    feasible.length > 0
      ? feasible.toSorted((a, b) => (b.total ?? 0) - (a.total ?? 0))
      : [{ node: decision.node }];
  return {
    pod: pod.key,
    state: `fits: ${decision.node} is the best node`,
    message: '',
    nodes: [...nodes, ...refused],
    changes: [`start a scheduler for ${profile.schedulerName}, or look at its log: the Pod could be bound`],
  };
}

function refusalsOf(cluster: Cluster, decision: Exclude<Decision, { kind: 'noNodes' }>): NodeExplanation[] {
  const { diagnosis } = decision;
  return cluster.nodes.flatMap(({ name: node }): NodeExplanation[] => {
    const status = decision.kind === 'refused' ? diagnosis.get(node) : diagnosis.nodes.get(node);
    if (status === undefined) return [];
    const refusedBy = status.plugin === '' ? [...diagnosis.plugins].join(', ') : status.plugin;
    return [
      { node, refusedBy, reasons: status.reasons, isPreemptionPossible: status.code === 'unschedulable' },
    ];
  });
}

const refusedState = (nominatedNode: string, victims: readonly string[]): string =>
  nominatedNode === ''
    ? 'fits on no node'
    : `fits on no node; preemption of ${victims.join(', ') || 'terminating Pods'} makes room on ${nominatedNode}`;

/** Lists everything that the plugins read, once. Collections that the server does not serve are empty. */
async function loadCluster(client: Client): Promise<Cluster> {
  const cluster = new Cluster();
  await Promise.all([
    ...collections.map(({ path, store }) =>
      each(client, path, (object) => (cluster.objects[store] as ObjectStore).set(object)),
    ),
    each<Node>(client, '/api/v1/nodes', (node) => void cluster.setNode(node)),
  ]);
  await each<Pod>(client, `/api/v1/pods?fieldSelector=${encodeURIComponent(activePods)}`, (pod) => {
    const info = new PodInfo(pod);
    cluster.pods.set(info.key, info);
    if ((pod.spec.nodeName ?? '') !== '') cluster.setPod(info, pod.spec.nodeName ?? '');
  });
  return cluster;
}

async function each<T extends KubeObject>(
  client: Client,
  path: string,
  use: (object: T) => void,
): Promise<void> {
  try {
    const { items } = await client.json<{ items: T[] | null }>({ path });
    for (const item of items ?? []) use(item);
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
}
