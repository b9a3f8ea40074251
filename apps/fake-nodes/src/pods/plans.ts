import { chooseByWeight, type StageFailure, type TransitionStage } from '../stages/stage.ts';
import { defaultDelaysMs } from '../stages/default-delays.ts';
import { endsWithoutStage, type PendingChange } from './pending-changes.ts';
import type { Pod } from './pod.ts';

/** When a pending change happens, and how. */
export interface Plan {
  /** Milliseconds since 1970; `Infinity`: never. */
  at: number;
  failure?: StageFailure;
}

/** What plans depend on. */
export interface Planning {
  stages: readonly TransitionStage[];
  now: number;
  random(): number;
}

/** Milliseconds between two attempts of a probe that fails. */
const probeIntervalMs = 1_000;

/**
 * Decides when a change happens: by a stage at random among those that match, and otherwise by the default delay. A stage whose failures have
 * all happened matches no longer.
 */
export function planChange(pod: Pod, change: PendingChange, { stages, now, random }: Planning): Plan {
  const lasting = matchingStages(stages, pod, change).filter(
    ({ failure }) => failure === undefined || change.failures < failure.times,
  );
  const stage = chooseByWeight(lasting, pod, random);
  const latest = change.transition === 'Terminate' ? endOfGrace(pod, now) : Infinity;
  if (stage === undefined && change.transition === 'Exit' && !endsWithoutStage(pod, change.container))
    return { at: Infinity };
  const failure = stage?.failure;
  const at = stage?.hold === true ? Infinity : now + delayMs(pod, change, stage, { now, random });
  // Whoever does not end in time is killed.
  if (at >= latest && latest !== Infinity)
    return { at: latest, failure: { exitCode: 137, reason: 'Error', times: 1 } };
  return { at, ...(failure === undefined ? {} : { failure }) };
}

/** Returns the stages that adjust a change. */
export const matchingStages = (
  stages: readonly TransitionStage[],
  pod: Pod,
  { transition, container }: Pick<PendingChange, 'transition' | 'container'>,
): TransitionStage[] =>
  stages.filter(
    (stage) =>
      stage.transition === transition &&
      (stage.containers.size === 0 || stage.containers.has(container)) &&
      stage.matches(pod),
  );

function delayMs(
  pod: Pod,
  change: PendingChange,
  stage: TransitionStage | undefined,
  { now, random }: Pick<Planning, 'now' | 'random'>,
): number {
  const staged = stage?.delayMs(pod, now, random);
  // A stage with a delay replaces the back-off, too.
  if (staged !== undefined) return staged;
  if (change.backOffMs !== undefined) return change.backOffMs;
  const { transition, failures } = change;
  if (failures > 0 && (transition === 'Startup' || transition === 'Readiness')) return probeIntervalMs;
  const [from, to] = defaultDelaysMs[transition];
  return from + random() * (to - from);
}

/** The deletion timestamp is the end of the grace period. */
function endOfGrace({ metadata }: Pod, now: number): number {
  if (metadata.deletionTimestamp === undefined) return Infinity;
  const end = Date.parse(metadata.deletionTimestamp);
  return Number.isNaN(end) ? now : Math.max(end, now);
}
