import { chooseByWeight, type StageFailure, type TransitionStage } from '../stages/stage.ts';
import { defaultDelaysMs } from '../stages/default-delays.ts';
import { commandEnd } from './command.ts';
import { endsWithoutStage, type PendingChange } from './pending-changes.ts';
import type { Container, Pod } from './pod.ts';

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
  if (stage === undefined && change.transition === 'Exit') {
    const exit = exitOf(pod, change.container, now);
    if (exit !== undefined) return exit;
  }
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
  const { transition, failures, container } = change;
  if (transition === 'Terminate')
    return preStopMs(pod, container) + randomOf(defaultDelaysMs.Terminate, random);
  if (failures > 0 && (transition === 'Startup' || transition === 'Readiness')) return probeIntervalMs;
  return randomOf(defaultDelaysMs[transition], random);
}

const randomOf = ([from, to]: readonly [number, number], random: () => number): number =>
  from + random() * (to - from);

const containersOf = ({ spec }: Pod): Container[] => [...(spec.initContainers ?? []), ...spec.containers];

/** Returns when a container ends by its command, or that it never does; `undefined` leaves it to the default delay. */
function exitOf(pod: Pod, name: string, now: number): Plan | undefined {
  const container = containersOf(pod).find((one) => one.name === name);
  const end = container === undefined ? undefined : commandEnd(container);
  if (end === undefined) return endsWithoutStage(pod, name) ? undefined : { at: Infinity };
  const { afterMs, exitCode } = end;
  return { at: now + afterMs, ...(exitCode === 0 ? {} : { failure: { exitCode, times: Infinity } }) };
}

/** The longest sleep of the hooks that run before a container ends. */
const preStopMs = (pod: Pod, name: string): number =>
  Math.max(
    0,
    ...containersOf(pod)
      .filter((one) => name === '' || one.name === name)
      .map(({ lifecycle }) => (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000),
  );

/** The deletion timestamp is the end of the grace period. */
function endOfGrace({ metadata }: Pod, now: number): number {
  if (metadata.deletionTimestamp === undefined) return Infinity;
  const end = Date.parse(metadata.deletionTimestamp);
  return Number.isNaN(end) ? now : Math.max(end, now);
}
