import { formatTime, type KubeObject, parseTime } from '@annex/machinery';
import type { RequestContext, TerminationRules } from '@annex/kinds';
import type { DeleteOptions } from './queries/delete-options.ts';

/** The immediate result of a deletion. */
export type Termination =
  /** The deletion began earlier, and this request does not shorten it: the object is unchanged. */
  | 'pending'
  /** The object is marked, and finalizers or a grace period hold it back. */
  | 'held'
  /** Nothing holds the object back; it was marked for watchers. */
  | 'marked'
  /** Nothing holds the object back. */
  | 'gone';

/** Begins the deletion of an object by the rules of its kind. Changes the object. */
export function beginTermination(
  strategy: TerminationRules,
  object: KubeObject,
  options: DeleteOptions,
  now: number,
  request: RequestContext,
): Termination {
  const grace = gracePeriodOf(strategy, object, options);
  if (grace === 'pending') return grace;
  if (grace !== undefined) setGrace(object, grace, now);
  const { metadata } = object;
  const finalizers = deletionFinalizers(strategy, metadata.finalizers ?? [], options);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const held = (strategy.beginDelete?.(object, request) ?? false) || finalizers.length > 0;
  if (grace !== undefined) return held || grace > 0 ? 'held' : 'marked';
  if (!held) return 'gone';
  // The method beginDelete of the kind has marked the object already.
  if (strategy.beginDelete === undefined || metadata.deletionTimestamp === undefined) mark(object, now, 0);
  return 'held';
}

/** Returns the new grace period; `undefined` for a kind without one, or if the period is over. */
export function gracePeriodOf(
  strategy: TerminationRules,
  object: KubeObject,
  options: DeleteOptions,
): number | 'pending' | undefined {
  if (strategy.gracePeriod === undefined) return undefined;
  const requested = atLeast(options.gracePeriodSeconds);
  if (object.metadata.deletionTimestamp === undefined)
    return atLeast(strategy.gracePeriod(object, requested));
  const provided = atLeast(object.metadata.deletionGracePeriodSeconds) ?? 0;
  if (provided === 0) return undefined;
  // A period can only be shortened.
  return requested === undefined || requested >= provided ? 'pending' : requested;
}

function atLeast(seconds: number | bigint | null | undefined): number | undefined;
function atLeast(seconds: number): number;
// kube-apiserver treats negative periods as one second.
function atLeast(seconds: number | bigint | null | undefined): number | undefined {
  if (seconds === undefined || seconds === null) return undefined;
  return Number(seconds) < 0 ? 1 : Number(seconds);
}

function setGrace(object: KubeObject, seconds: number, now: number): void {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined) return mark(object, now + seconds * 1000, seconds);
  const provided = Number(metadata.deletionGracePeriodSeconds ?? 0);
  const end = (parseTime(metadata.deletionTimestamp) ?? now) - (provided - seconds) * 1000;
  metadata.deletionTimestamp = formatTime(Math.max(end, now));
  // A period that is over remains positive: the responsible component must terminate the object immediately.
  metadata.deletionGracePeriodSeconds = end < now && seconds !== 0 ? 1 : seconds;
}

function mark({ metadata }: KubeObject, end: number, seconds: number): void {
  const { deletionTimestamp, generation } = metadata;
  const marked = deletionTimestamp === undefined ? undefined : (parseTime(deletionTimestamp) ?? end);
  if (marked === undefined || marked > end) metadata.deletionTimestamp = formatTime(end);
  metadata.deletionGracePeriodSeconds = seconds;
  // The first mark counts as a change of the desired state.
  if (marked === undefined && generation !== undefined) metadata.generation = Number(metadata.generation) + 1;
}

/** Returns the finalizers of the object and of the propagation policy. */
function deletionFinalizers(
  { orphansByDefault = false }: TerminationRules,
  finalizers: readonly string[],
  options: DeleteOptions,
): string[] {
  const others = finalizers.filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  if (isUndecided(options)) {
    const byDefault = orphansByDefault && others.length === finalizers.length;
    return byDefault ? [...finalizers, 'orphan'] : [...finalizers];
  }
  const { propagationPolicy, orphanDependents } = options;
  if (propagationPolicy === 'Orphan' || orphanDependents === true) return [...others, 'orphan'];
  return propagationPolicy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

/** Returns whether the options do not specify the propagation policy. */
export const isUndecided = ({ propagationPolicy, orphanDependents }: DeleteOptions): boolean =>
  (propagationPolicy ?? orphanDependents ?? undefined) === undefined;
