import type { KubeObject } from '@annex/machinery';
import { nullLogger } from '@annex/runtime';
import { Cluster } from '../cache/cluster.ts';
import type { ObjectStore } from '../cache/object-store.ts';
import { defaultConfiguration } from '../config/decode.ts';
import type { ProfileConfig, SchedulerConfig } from '../config/types.ts';
import { collections } from '../cycle/collections.ts';
import { Decider } from '../cycle/decide.ts';
import { Extender } from '../extenders/extender.ts';
import { withoutManagedResources } from '../extenders/managed-resources.ts';
import { Cycle } from '../framework/cycle.ts';
import type { Profile } from '../framework/profile.ts';
import { CycleError } from '../framework/status.ts';
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { dryPostFilter, dryProfile } from './dry-profile.ts';

/** What a scheduler would do with a Pod. */
export interface DryRun {
  /** The nodes with the highest score; empty for a Pod that fits nowhere. */
  nodes: readonly string[];
  /** The message of a refusal; empty if the Pod fits. */
  message: string;
  /** The node where preemption would make room. */
  nominatedNode: string;
  /** The Pods that preemption would delete: `namespace/name`, in order. */
  victims: readonly string[];
}

/**
 * Decides about a Pod with its profile of a configuration; the default one without. `objects` are lists of objects by path of their
 * collection. Extenders are called, but bind nothing.
 */
export async function dryRun(
  objects: ReadonlyMap<string, readonly KubeObject[]>,
  pod: KubeObject,
  config: SchedulerConfig = defaultConfiguration(),
): Promise<DryRun> {
  const cluster = new Cluster();
  for (const { path, store } of collections)
    for (const object of objects.get(path) ?? []) (cluster.objects[store] as ObjectStore).set(object);
  for (const node of objects.get('/api/v1/nodes') ?? []) cluster.setNode(node as Node);
  for (const other of (objects.get('/api/v1/pods') ?? []) as Pod[]) addPod(cluster, new PodInfo(other));
  const info = new PodInfo(pod as Pod);
  cluster.pods.set(info.key, info);
  const victims: string[] = [];
  const extenders = config.extenders.map((one) => new Extender(one));
  const own = config.profiles.find(({ schedulerName }) => schedulerName === info.pod.spec.schedulerName);
  const used = withoutManagedResources(own ?? (config.profiles[0] as ProfileConfig), config.extenders);
  const profile = dryProfile(used, cluster, victims, { extenders });
  try {
    return await decided({ cluster, profile, extenders }, info, victims);
  } catch (error) {
    if (!(error instanceof CycleError)) throw error;
    return { nodes: [], message: error.message, nominatedNode: '', victims: [] };
  } finally {
    for (const extender of extenders) extender.close();
  }
}

function addPod(cluster: Cluster, info: PodInfo): void {
  cluster.pods.set(info.key, info);
  const { nodeName = '' } = info.pod.spec;
  if (nodeName !== '') cluster.setPod(info, nodeName);
}

interface DecisionParts {
  cluster: Cluster;
  extenders: readonly Extender[];
  profile: Profile;
}

async function decided(
  { cluster, extenders, profile }: DecisionParts,
  pod: PodInfo,
  victims: string[],
): Promise<DryRun> {
  const decider = new Decider({ cluster, extenders, log: nullLogger, percentageOfNodesToScore: 100 });
  const cycle = new Cycle();
  const decision = await decider.decide(profile, cycle, pod);
  const refused = { nodes: [], nominatedNode: '', victims };
  if (decision.kind === 'noNodes') return { ...refused, message: 'no nodes available to schedule pods' };
  if (decision.kind === 'chosen') {
    const best = Math.max(...decision.scores.map(({ total }) => total));
    const equals = decision.scores.filter(({ total }) => total === best).map(({ node }) => node.name);
    return { ...refused, nodes: equals.length > 0 ? equals : [decision.node], message: '' };
  }
  const { diagnosis } = decision;
  const nominatedNode = await dryPostFilter(profile, cycle, pod, diagnosis);
  return { ...refused, message: diagnosis.message, nominatedNode };
}
