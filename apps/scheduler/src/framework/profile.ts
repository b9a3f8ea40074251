import type { ProfileConfig } from '../config/types.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { Cycle } from './cycle.ts';
import type { Diagnosis } from './diagnosis.ts';
import { TimeSlice } from '../cycle/time-slice.ts';
import { type EventRegistration, everyEvent } from './cluster-event.ts';
import { type ExtensionPointName, extensionPoints } from './extension-points.ts';
import type { Handle } from './handle.ts';
import type { Plugin, PostFilterResult } from './plugin.ts';
import { CycleError, Status } from './status.ts';

/** The plugins of a profile by extension point, in the order of execution. */
export type PluginsByPoint = ReadonlyMap<ExtensionPointName, readonly Plugin[]>;

/** The scores of one node. */
export interface NodeScores {
  readonly node: NodeInfo;
  /** Weighted scores by plugin or extender. */
  readonly byPlugin: Map<string, number>;
  total: number;
}

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A profile: a scheduler name with its plugins. Runs the extension points. */
export class Profile {
  readonly schedulerName: string;
  readonly config: ProfileConfig;
  readonly #plugins: PluginsByPoint;
  readonly #weights: ReadonlyMap<string, number>;
  readonly #handle: Pick<Handle, 'nominatedPods'>;

  constructor(
    config: ProfileConfig,
    plugins: PluginsByPoint,
    weights: ReadonlyMap<string, number>,
    handle: Pick<Handle, 'nominatedPods'>,
  ) {
    this.schedulerName = config.schedulerName;
    this.config = config;
    this.#plugins = plugins;
    this.#weights = weights;
    this.#handle = handle;
  }

  /** The plugins of an extension point. */
  at(point: ExtensionPointName): readonly Plugin[] {
    return this.#plugins.get(point) ?? [];
  }

  /** All plugins, each once. */
  get plugins(): readonly Plugin[] {
    return [...new Set(extensionPoints.flatMap(({ name }) => this.at(name)))];
  }

  weightOf(plugin: string): number {
    return this.#weights.get(plugin) ?? 1;
  }

  /** The events that each plugin registers. A plugin that is notified of new nodes is notified of changed taints as well. */
  registrations(): Map<string, readonly EventRegistration[]> {
    const refusing = ['preEnqueue', 'preFilter', 'filter', 'reserve', 'permit'] as const;
    const registrations = new Map<string, readonly EventRegistration[]>();
    for (const plugin of this.plugins) {
      if (!refusing.some((method) => plugin[method] !== undefined)) continue;
      const events = plugin.events ?? everyEvent;
      const onNodes = events.filter(({ resource }) => resource === 'Node').flatMap(({ actions }) => actions);
      const needsTaints =
        onNodes.includes('Add') && !onNodes.includes('UpdateNodeTaint') && !onNodes.includes('Update');
      registrations.set(
        plugin.name,
        needsTaints ? [...events, { resource: 'Node', actions: ['UpdateNodeTaint'] }] : events,
      );
    }
    return registrations;
  }

  /**
   * Runs preFilter. Returns the only nodes that need to be examined, all without them, or a refusal. Throws CycleError.
   */
  async preFilter(
    cycle: Cycle,
    pod: PodInfo,
    diagnosis: Diagnosis,
  ): Promise<{ nodes?: ReadonlySet<string>; status?: Status }> {
    let nodes: ReadonlySet<string> | undefined;
    let refusal: Status | undefined;
    const restricting = new Set<string>();
    for (const plugin of this.at('preFilter')) {
      const result = await this.#callAsync(plugin, 'PreFilter', () => plugin.preFilter?.(cycle, pod));
      if (result === 'skip') {
        cycle.skippedFilters.add(plugin.name);
        continue;
      }
      if (result instanceof Status) {
        result.plugin = plugin.name;
        if (result.code === 'error')
          throw new CycleError(`running PreFilter plugin "${plugin.name}": ${result.message}`);
        if (result.code === 'unresolvable') return { status: result };
        refusal = result;
        continue;
      }
      if (result === undefined) continue;
      restricting.add(plugin.name);
      nodes = nodes === undefined ? result.nodes : nodes.intersection(result.nodes);
      if (nodes.size > 0) continue;
      for (const name of restricting) diagnosis.plugins.add(name);
      return { status: new Status('unresolvable', [disagreement(restricting)]) };
    }
    if (refusal !== undefined) return { status: refusal };
    if (nodes === undefined) return {};
    for (const name of restricting) diagnosis.plugins.add(name);
    diagnosis.absent = new Status('unresolvable', [
      `node(s) didn't satisfy plugin(s) [${[...restricting].toSorted().join(' ')}]`,
    ]);
    return { nodes };
  }

  /** Runs the filters of one node. Throws CycleError. */
  filter(cycle: Cycle, pod: PodInfo, node: NodeInfo): Status | undefined {
    for (const plugin of this.at('filter')) {
      if (cycle.skippedFilters.has(plugin.name)) continue;
      let status: Status | undefined;
      try {
        status = plugin.filter?.(cycle, pod, node);
      } catch (error) {
        throw new CycleError(`running "${plugin.name}" filter plugin: ${message(error)}`, { cause: error });
      }
      if (status === undefined) continue;
      if (status.code === 'error')
        throw new CycleError(`running "${plugin.name}" filter plugin: ${status.message}`);
      if (status.plugin === '') status.plugin = plugin.name;
      return status;
    }
    return undefined;
  }

  /** Runs the filters with nominated Pods of the same or a higher priority on the node, then without. */
  filterNode(cycle: Cycle, pod: PodInfo, node: NodeInfo): Status | undefined {
    const nominated = this.#handle
      .nominatedPods(node.name)
      .filter((other) => other.priority >= pod.priority && other.uid !== pod.uid);
    if (nominated.length === 0) return this.filter(cycle, pod, node);
    const [cycleWith, nodeWith] = [cycle.clone(), node.clone()];
    for (const other of nominated) {
      nodeWith.addPod(other);
      this.addPod(cycleWith, pod, other, nodeWith);
    }
    return this.filter(cycleWith, pod, nodeWith) ?? this.filter(cycle, pod, node);
  }

  addPod(cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeInfo): void {
    for (const plugin of this.at('preFilter'))
      if (!cycle.skippedFilters.has(plugin.name)) plugin.addPod?.(cycle, pod, other, node);
  }

  removePod(cycle: Cycle, pod: PodInfo, other: PodInfo, node: NodeInfo): void {
    for (const plugin of this.at('preFilter'))
      if (!cycle.skippedFilters.has(plugin.name)) plugin.removePod?.(cycle, pod, other, node);
  }

  /** Runs postFilter until a plugin makes room. */
  async postFilter(cycle: Cycle, pod: PodInfo, diagnosis: Diagnosis): Promise<PostFilterResult> {
    const reasons: string[] = [];
    let nominatedNode: string | undefined;
    for (const plugin of this.at('postFilter')) {
      let result: PostFilterResult;
      try {
        result = (await plugin.postFilter?.(cycle, pod, diagnosis)) ?? {};
      } catch (error) {
        return { status: new Status('error', [message(error)], plugin.name) };
      }
      const { status } = result;
      if (status === undefined || status.code === 'unresolvable' || status.code === 'error') return result;
      nominatedNode = result.nominatedNode ?? nominatedNode;
      reasons.push(...status.reasons);
    }
    return { status: new Status('unschedulable', reasons), nominatedNode };
  }

  /** Scores nodes by every plugin, with weights. Throws CycleError. */
  async score(cycle: Cycle, pod: PodInfo, nodes: readonly NodeInfo[]): Promise<NodeScores[]> {
    const slice = new TimeSlice();
    for (const plugin of this.at('preScore')) {
      const result = await this.#callAsync(plugin, 'PreScore', () => plugin.preScore?.(cycle, pod, nodes));
      if (result === 'skip') cycle.skippedScores.add(plugin.name);
      else if (result !== undefined)
        throw new CycleError(`running PreScore plugin "${plugin.name}": ${result.message}`);
    }
    const scored: NodeScores[] = nodes.map((node) => ({ node, byPlugin: new Map(), total: 0 }));
    for (const plugin of this.at('score')) {
      if (cycle.skippedScores.has(plugin.name)) continue;
      const weight = this.weightOf(plugin.name);
      const scores: number[] = [];
      for (const node of nodes) {
        scores.push(this.#call(plugin, 'Score', () => plugin.score?.(cycle, pod, node) ?? 0));
        if (slice.isOver) await slice.pause();
      }
      this.#call(plugin, 'Score', () => plugin.normalize?.(cycle, pod, scores, nodes));
      for (const [i, one] of scored.entries()) {
        const weighted = weightedScore(plugin.name, scores[i] ?? 0, weight);
        one.byPlugin.set(plugin.name, weighted);
        one.total += weighted;
      }
    }
    return scored;
  }

  async #callAsync<T>(plugin: Plugin, point: string, call: () => T | Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw new CycleError(`running ${point} plugin "${plugin.name}": ${message(error)}`, { cause: error });
    }
  }

  #call<T>(plugin: Plugin, point: string, call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw new CycleError(`running ${point} plugin "${plugin.name}": ${message(error)}`, { cause: error });
    }
  }
}

function weightedScore(plugin: string, score: number, weight: number): number {
  if (score > 100 || score < 0 || Number.isNaN(score))
    throw new CycleError(
      `plugin "${plugin}" returns an invalid score ${score}, it should in the range of [0, 100] after normalizing`,
    );
  return Math.trunc(score) * weight;
}

const disagreement = (plugins: ReadonlySet<string>): string => {
  const names = [...plugins].toSorted();
  return names.length === 1
    ? `node(s) didn't satisfy plugin ${names[0]}`
    : `node(s) didn't satisfy plugin(s) [${names.join(' ')}] simultaneously`;
};
