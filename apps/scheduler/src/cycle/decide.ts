import type { Cluster } from '../cache/cluster.ts';
import type { Extender } from '../extenders/extender.ts';
import type { Cycle } from '../framework/cycle.ts';
import { Diagnosis } from '../framework/diagnosis.ts';
import type { NodeScores, Profile } from '../framework/profile.ts';
import type { Logger } from '@annex/runtime';
import type { Status } from '../framework/status.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { TimeSlice } from './time-slice.ts';

/** Below this number all nodes are examined, and so many feasible ones are looked for. Source: kube-scheduler. */
const fewNodes = 100;
const lowestPercentage = 5;

/** What a decision is made of. */
export interface DecisionDeps {
  cluster: Cluster;
  extenders: readonly Extender[];
  log: Logger;
  /** The percentage of nodes to score of profiles without an own one. */
  percentageOfNodesToScore: number;
}

/** The chosen node, or why there is none. */
export type Decision =
  | { kind: 'chosen'; node: string; scores: readonly NodeScores[]; diagnosis: Diagnosis }
  | { kind: 'refused'; diagnosis: Diagnosis }
  | { kind: 'noNodes' };

/** Chooses the nodes of Pods. */
export class Decider {
  readonly #deps: DecisionDeps;
  /** Where the search for feasible nodes begins: where the last one ended. */
  #start = 0;

  constructor(deps: DecisionDeps) {
    this.#deps = deps;
  }

  /** Chooses the best node for a Pod. Rejects with CycleError. */
  async decide(profile: Profile, cycle: Cycle, pod: PodInfo): Promise<Decision> {
    const { nodes } = this.#deps.cluster;
    if (nodes.length === 0) return { kind: 'noNodes' };
    const diagnosis = new Diagnosis();
    diagnosis.totalNodes = nodes.length;
    const feasible = await this.#feasibleNodes(profile, cycle, pod, diagnosis);
    if (feasible.length === 0) return { kind: 'refused', diagnosis };
    const [only] = feasible;
    if (only !== undefined && feasible.length === 1)
      return { kind: 'chosen', node: only.name, scores: [], diagnosis };
    const scores = await this.#score(profile, cycle, pod, feasible);
    return { kind: 'chosen', node: highest(scores), scores, diagnosis };
  }

  async #feasibleNodes(
    profile: Profile,
    cycle: Cycle,
    pod: PodInfo,
    diagnosis: Diagnosis,
  ): Promise<readonly NodeInfo[]> {
    const { cluster } = this.#deps;
    const { nodes: only, status } = await profile.preFilter(cycle, pod, diagnosis);
    if (status !== undefined) {
      diagnosis.absent = status;
      diagnosis.preFilterMessage = status.message;
      diagnosis.addPlugin(status);
      return [];
    }
    const nominated = cluster.node(pod.pod.status?.nominatedNodeName ?? '');
    if (nominated !== undefined) {
      const found = await this.#passExtenders(
        pod,
        await this.#filter(profile, cycle, pod, [nominated], diagnosis),
        diagnosis,
      );
      if (found.length > 0) return found;
    }
    const examined =
      only === undefined ? cluster.nodes : [...only].flatMap((name) => cluster.node(name) ?? []);
    const feasible = await this.#filter(profile, cycle, pod, examined, diagnosis);
    this.#start = (this.#start + feasible.length + diagnosis.nodes.size) % cluster.nodes.length;
    return await this.#passExtenders(pod, feasible, diagnosis);
  }

  async #filter(
    profile: Profile,
    cycle: Cycle,
    pod: PodInfo,
    nodes: readonly NodeInfo[],
    diagnosis: Diagnosis,
  ): Promise<NodeInfo[]> {
    const slice = new TimeSlice();
    const enough = this.#enough(profile, nodes.length);
    const feasible: NodeInfo[] = [];
    for (let i = 0; i < nodes.length && feasible.length < enough; i++) {
      const node = nodes[(this.#start + i) % nodes.length];
      if (node === undefined) continue;
      const status = profile.filterNode(cycle, pod, node);
      if (status === undefined) feasible.push(node);
      else diagnosis.setNode(node.name, status);
      if (slice.isOver) await slice.pause();
    }
    return feasible;
  }

  /** The number of feasible nodes after which the search ends. */
  #enough(profile: Profile, nodes: number): number {
    const { extenders, percentageOfNodesToScore } = this.#deps;
    const canChoose =
      profile.at('score').length > 0 ||
      extenders.some(({ config }) => config.filterVerb !== '' || config.prioritizeVerb !== '');
    if (!canChoose) return 1;
    if (nodes < fewNodes) return nodes;
    const configured = profile.config.percentageOfNodesToScore ?? percentageOfNodesToScore;
    const percentage =
      configured === 0 ? Math.max(50 - Math.trunc(nodes / 125), lowestPercentage) : configured;
    return Math.max(Math.trunc((nodes * percentage) / 100), fewNodes);
  }

  async #passExtenders(
    pod: PodInfo,
    feasible: readonly NodeInfo[],
    diagnosis: Diagnosis,
  ): Promise<readonly NodeInfo[]> {
    let nodes = feasible;
    for (const extender of this.#deps.extenders) {
      if (nodes.length === 0) break;
      if (!extender.isInterested(pod)) continue;
      try {
        const result = await extender.filter(pod, nodes);
        for (const [node, status] of result.refused) diagnosis.nodes.set(node, status);
        nodes = result.nodes;
      } catch (error) {
        if (!extender.isIgnorable) throw error;
        this.#deps.log.info('an extender failed and is ignored', {
          extender: extender.url,
          error: String(error),
        });
      }
    }
    if (nodes.length !== feasible.length) diagnosis.plugins.add(extenderName);
    return nodes;
  }

  async #score(
    profile: Profile,
    cycle: Cycle,
    pod: PodInfo,
    nodes: readonly NodeInfo[],
  ): Promise<NodeScores[]> {
    const scores = await profile.score(cycle, pod, nodes);
    const interested = this.#deps.extenders.filter((extender) => extender.isInterested(pod));
    await Promise.all(
      interested.map(async (extender) => {
        // An extender that fails has no say.
        const found = await extender.prioritize(pod, nodes).catch((error: unknown) => {
          this.#deps.log.info('an extender failed to score', {
            extender: extender.url,
            error: String(error),
          });
          return new Map<string, number>();
        });
        for (const one of scores) {
          const score = found.get(one.node.name);
          if (score === undefined) continue;
          one.byPlugin.set(extender.url, score);
          one.total += score;
        }
      }),
    );
    return scores;
  }
}

/** The name of extenders among the plugins that refused a Pod. */
export const extenderName = 'Extender';

/** Returns one of the nodes with the highest score, at random. */
function highest(scores: readonly NodeScores[]): string {
  const best = Math.max(...scores.map(({ total }) => total));
  const equals = scores.filter(({ total }) => total === best);
  return equals[Math.floor(Math.random() * equals.length)]?.node.name ?? '';
}

/** The refusal of a Pod by a plugin after its node was chosen. */
export function refusedOn(node: string, status: Status): Diagnosis {
  const diagnosis = new Diagnosis();
  diagnosis.totalNodes = 1;
  diagnosis.setNode(node, status);
  return diagnosis;
}
