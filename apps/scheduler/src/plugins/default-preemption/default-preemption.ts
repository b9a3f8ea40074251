import { aggregateText } from '@annex/auth';
import { Diagnosis } from '../../framework/diagnosis.ts';
import type { DefaultPreemptionArgs } from '../../config/types.ts';
import { TimeSlice } from '../../cycle/time-slice.ts';
import type { Cycle } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import { builtInPlugin, type NodeStatuses } from '../../framework/plugin.ts';
import { CycleError, failed, Status, unresolvable, unschedulable } from '../../framework/status.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { chooseNode } from './choose-node.ts';
import { Preemptions } from './preemptions.ts';
import { selectVictims, type Victims } from './select-victims.ts';

const isPreempting = unresolvable('waiting for the preemption for this pod to be finished');

/** Ends Pods of lower priorities so that a Pod that fits nowhere gets a place. */
export const defaultPreemption = builtInPlugin<DefaultPreemptionArgs>('DefaultPreemption', (args, handle) => {
  const preemptions = new Preemptions(handle);
  return {
    preEnqueue: (pod) => (preemptions.isRunning(pod.uid) ? isPreempting : undefined),
    async postFilter(cycle, queued, statuses) {
      const pod = handle.cluster.pods.get(queued.key) ?? queued;
      const refusal = whyNotEligible(handle, pod, statuses);
      if (refusal !== undefined) return { status: unschedulable(`preemption: ${refusal}`) };
      const diagnosis = new Diagnosis();
      const errors = new Set<string>();
      const candidates = await candidatesOf(handle, args, { cycle, pod, statuses, diagnosis, errors });
      if (candidates.length === 0 && errors.size > 0)
        return { status: failed(`preemption: ${aggregateText([...errors])}`) };
      if (candidates.length === 0)
        return { status: unschedulable(`preemption: ${diagnosis.message}`), nominatedNode: '' };
      const chosen = chooseNode(await byExtenders(handle, pod, candidates));
      if (chosen === undefined)
        return { status: unschedulable('preemption: no candidate node for preemption') };
      preemptions.start(pod, chosen);
      return { nominatedNode: chosen.node };
    },
    // The end of a victim is an event of the plugin that refused the Pod: this registration lets a gated Pod be looked at.
    events: [{ resource: 'Pod', actions: ['Delete'], hint: () => false }],
  };
});

function whyNotEligible(handle: Handle, pod: PodInfo, statuses: NodeStatuses): string | undefined {
  const { spec, status } = pod.pod;
  if (spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = status?.nominatedNodeName ?? '';
  if (nominated === '' || statuses.get(nominated)?.code === 'unresolvable') return undefined;
  const node = handle.cluster.node(nominated);
  const isEnding = [...(node?.pods.values() ?? [])].some(
    (other) => other.priority < pod.priority && isPreempted(other),
  );
  return isEnding ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

const isPreempted = ({ isTerminating, pod }: PodInfo): boolean =>
  isTerminating &&
  (pod.status?.conditions ?? []).some(
    ({ type, status, reason }) =>
      type === 'DisruptionTarget' && status === 'True' && reason === 'PreemptionByScheduler',
  );

interface Search {
  cycle: Cycle;
  pod: PodInfo;
  statuses: NodeStatuses;
  /** Receives the reasons of nodes that are no candidates. */
  diagnosis: Diagnosis;
  /** Receives the errors of plugins. They matter if there is no candidate. */
  errors: Set<string>;
}

/** Tries nodes where the end of Pods may help, from a random one, until there are enough candidates. */
async function candidatesOf(
  handle: Handle,
  { minCandidateNodesPercentage, minCandidateNodesAbsolute }: DefaultPreemptionArgs,
  { cycle, pod, statuses, diagnosis, errors }: Search,
): Promise<Victims[]> {
  const slice = new TimeSlice();
  const { nodes } = handle.cluster;
  diagnosis.totalNodes = nodes.length;
  diagnosis.absent = new Status('unresolvable', ['Preemption is not helpful for scheduling']);
  const potential: NodeInfo[] = nodes.filter(({ name }) => statuses.get(name)?.code === 'unschedulable');
  const share = Math.trunc((potential.length * minCandidateNodesPercentage) / 100);
  const enough = Math.min(Math.max(share, minCandidateNodesAbsolute), potential.length);
  const offset = Math.floor(Math.random() * potential.length);
  const peaceful: Victims[] = [];
  const violating: Victims[] = [];
  for (let i = 0; i < potential.length; i++) {
    const node = potential[(offset + i) % potential.length];
    if (node === undefined) continue;
    if (slice.isOver) await slice.pause();
    const found = victimsOn(handle, cycle, pod, node);
    if (found instanceof CycleError) errors.add(found.message);
    else if (found instanceof Status) diagnosis.setNode(node.name, found);
    // Only an extender refuses a node that has room.
    else if (found.pods.length === 0) errors.add(`expected at least one victim pod on node "${node.name}"`);
    else (found.budgetViolations === 0 ? peaceful : violating).push(found);
    if (peaceful.length > 0 && peaceful.length + violating.length >= enough) break;
  }
  return [...peaceful, ...violating];
}

function victimsOn(
  handle: Handle,
  cycle: Cycle,
  pod: PodInfo,
  node: NodeInfo,
): Victims | Status | CycleError {
  try {
    return selectVictims(handle, cycle, pod, node);
  } catch (error) {
    if (error instanceof CycleError) return error;
    throw error;
  }
}

/** Extenders may remove candidates, and change their victims. Throws CycleError. */
async function byExtenders(
  handle: Handle,
  pod: PodInfo,
  candidates: readonly Victims[],
): Promise<readonly Victims[]> {
  let left = candidates;
  for (const extender of handle.extenders) {
    if (!extender.supportsPreemption || !extender.isInterested(pod)) continue;
    try {
      const kept = await extender.preempt(pod, left, handle.cluster);
      const empty = kept.find(({ pods }) => pods.length === 0);
      if (empty !== undefined && !extender.isIgnorable)
        throw new CycleError(`expected at least one victim pod on node "${empty.node}"`);
      left = kept.filter(({ pods }) => pods.length > 0);
    } catch (error) {
      if (!extender.isIgnorable) throw error;
      handle.log.info('an extender failed and is ignored', { extender: extender.url, error: String(error) });
    }
    if (left.length === 0) break;
  }
  return left;
}
