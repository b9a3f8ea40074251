import type { JsonValue, KubeObject } from '@annex/machinery';

/** Changes of a Pod or of one of its containers, which stages delay, prevent, or let fail. */
export const podTransitions = [
  'Sandbox',
  'Pull',
  'Start',
  'Startup',
  'Readiness',
  'Exit',
  'Restart',
  'Terminate',
] as const;

/** The name of a change of a Pod. */
export type PodTransition = (typeof podTransitions)[number];

/** The name of a change of a Pod or a Node. */
export type Transition = PodTransition | 'Heartbeat';

/** How a change fails. */
export interface StageFailure {
  reason?: string;
  message?: string;
  exitCode?: number;
  /** The number of attempts that fail. */
  times: number;
}

/** The part that all stages have. */
interface StageBase {
  name: string;
  kind: 'Pod' | 'Node';
  matches(object: KubeObject): boolean;
  weight(object: KubeObject): number;
  /** Milliseconds until the change. `undefined`: the default delay. */
  delayMs(object: KubeObject, now: number, random: () => number): number | undefined;
}

/** A stage that adjusts a built-in change. */
export interface TransitionStage extends StageBase {
  transition: Transition;
  /** The containers that it applies to; empty for all. */
  containers: ReadonlySet<string>;
  /** The change does not happen. */
  hold: boolean;
  failure?: StageFailure;
}

/** One action of a stage that changes an object itself. */
export type StageStep =
  | {
      patch: {
        subresource: string;
        type: 'json' | 'merge' | 'strategic';
        body(object: KubeObject): Promise<JsonValue>;
      };
    }
  | { event: { type: string; reason: string; message: string } }
  | { finalizers: { add: readonly string[]; remove: ReadonlySet<string>; empty: boolean } }
  | { delete: true };

/** A stage that changes objects itself, in KWOK's form. */
export interface PatchStage extends StageBase {
  steps: readonly StageStep[];
}

/** A stage of either form. */
export type Stage = TransitionStage | PatchStage;

/** The stages of a process. */
export interface Stages {
  transitions: readonly TransitionStage[];
  patches: readonly PatchStage[];
}

/** Returns one of the stages at random by their weights; the first one if no stage has a weight. */
export function chooseByWeight<S extends StageBase>(
  stages: readonly S[],
  object: KubeObject,
  random: () => number,
): S | undefined {
  if (stages.length < 2) return stages[0];
  const weights = stages.map((stage) => stage.weight(object));
  let rest = random() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = stages.find((_, index) => (rest -= weights[index] ?? 0) < 0);
  return found ?? stages[0];
}
