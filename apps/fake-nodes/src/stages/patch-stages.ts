import type { KubeObject } from '@annex/machinery';
import type { Clock, Logger } from '@annex/runtime';
import type { Api } from '../api.ts';
import type { EventWriter } from '../event-writer.ts';
import { chooseByWeight, type PatchStage, type StageStep } from './stage.ts';

interface Chosen {
  version: string;
  stage: PatchStage | undefined;
  at: number;
}

interface PatchStagesDeps {
  api: Api;
  clock: Clock;
  log: Logger;
  events: EventWriter;
  random(): number;
}

/** Applies the stages that change objects themselves, as KWOK does: one stage at a time, chosen anew when the object changed. */
export class PatchStages {
  readonly #stages: readonly PatchStage[];
  readonly #deps: PatchStagesDeps;
  readonly #chosen = new Map<string, Chosen>();

  constructor(stages: readonly PatchStage[], deps: PatchStagesDeps) {
    this.#stages = stages;
    this.#deps = deps;
  }

  /** True if a stage changes this object. */
  matches(kind: 'Pod' | 'Node', object: KubeObject): boolean {
    return this.#stages.some((stage) => stage.kind === kind && stage.matches(object));
  }

  forget(id: string): void {
    this.#chosen.delete(id);
  }

  /** Applies the stage that is due. Returns the milliseconds until one is; `undefined` if none matches. */
  async advance(
    id: string,
    kind: 'Pod' | 'Node',
    object: KubeObject,
    path: string,
  ): Promise<number | undefined> {
    if (this.#stages.length === 0) return undefined;
    const chosen = this.#choose(id, kind, object);
    const { stage } = chosen;
    if (stage === undefined) return undefined;
    const afterMs = chosen.at - this.#deps.clock.now();
    if (afterMs > 0) return afterMs;
    // A stage is applied once to a version of an object, even if it changes nothing.
    chosen.stage = undefined;
    for (const step of stage.steps) await this.#apply(step, kind, object, path);
    return undefined;
  }

  #choose(id: string, kind: 'Pod' | 'Node', object: KubeObject): Chosen {
    const { clock, random } = this.#deps;
    const version = object.metadata.resourceVersion ?? '';
    const known = this.#chosen.get(id);
    if (known?.version === version) return known;
    const matching = this.#stages.filter((stage) => stage.kind === kind && stage.matches(object));
    // A choice lasts as long as its stage matches.
    const kept = known?.stage !== undefined && matching.includes(known.stage);
    const stage = kept ? known.stage : chooseByWeight(matching, object, random);
    const now = clock.now();
    const at = kept ? known.at : now + (stage?.delayMs(object, now, random) ?? 0);
    const chosen = { version, stage, at };
    if (stage === undefined) this.#chosen.delete(id);
    else this.#chosen.set(id, chosen);
    return chosen;
  }

  async #apply(step: StageStep, kind: 'Pod' | 'Node', object: KubeObject, path: string): Promise<void> {
    const { api, events, log } = this.#deps;
    const { metadata, spec } = object;
    if ('event' in step) {
      const nodeName = kind === 'Node' ? metadata.name : (spec as { nodeName?: string }).nodeName;
      events.write({ ...object, kind }, nodeName ?? '', { ...step.event, container: '' });
    } else if ('delete' in step) {
      const body = { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } };
      await api.json({ method: 'DELETE', path, body });
    } else if ('finalizers' in step) {
      const { add, remove, empty } = step.finalizers;
      const left = empty ? [] : (metadata.finalizers ?? []).filter((name) => !remove.has(name));
      const finalizers = [...new Set([...left, ...add])];
      await api.patch(path, { metadata: { uid: metadata.uid, finalizers } }, 'merge');
    } else {
      const { subresource, type } = step.patch;
      log.debug('a stage patches an object', { kind, name: metadata.name ?? '' });
      await api.patch(
        subresource === '' ? path : `${path}/${subresource}`,
        await step.patch.body(object),
        type,
      );
    }
  }
}
