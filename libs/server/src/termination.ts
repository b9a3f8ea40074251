import { formatTime, type KubeObject, parseTime } from '@annex/machinery';
import type { RequestContext, TerminationRules } from '@annex/kinds';
import type { DeleteOptions } from './queries/delete-options.ts';

/** How far a deletion gets at once. */
export type Termination =
  /** It began before, and what is asked now does not make it any faster: the object stays as it is. */
  | 'pending'
  /** The object is marked, and finalizers or a grace period hold it back. */
  | 'held'
  /** Nothing holds the object back; it was marked for those who watch. */
  | 'marked'
  /** Nothing holds the object back. */
  | 'gone';

/** Begins the deletion of an object, which is changed, by the rules of its kind. */
export function beginTermination(
  strategy: TerminationRules,
  object: KubeObject,
  options: DeleteOptions,
  now: number,
  request: RequestContext,
): Termination {
  const grace = graceOf(strategy, object, options);
  if (grace === 'pending') return grace;
  if (grace !== undefined) setGrace(object, grace, now);
  const { metadata } = object;
  const finalizers = deletionFinalizers(strategy, metadata.finalizers ?? [], options);
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  const held = (strategy.beginDelete?.(object, request) ?? false) || finalizers.length > 0;
  if (grace !== undefined) return held || grace > 0 ? 'held' : 'marked';
  if (!held) return 'gone';
  // A kind that begins its deletion itself has said all there is to say.
  if (strategy.beginDelete === undefined || metadata.deletionTimestamp === undefined) mark(object, now, 0);
  return 'held';
}

/** The grace period that is set now; `undefined` for a kind without one, or where it is over. */
function graceOf(
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
// kube takes negative periods for a second.
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
  // Time that is over still is a grace period: who was to end it in time is asked to do so at once.
  metadata.deletionGracePeriodSeconds = end < now && seconds !== 0 ? 1 : seconds;
}

function mark({ metadata }: KubeObject, end: number, seconds: number): void {
  const { deletionTimestamp, generation } = metadata;
  const marked = deletionTimestamp === undefined ? undefined : (parseTime(deletionTimestamp) ?? end);
  if (marked === undefined || marked > end) metadata.deletionTimestamp = formatTime(end);
  metadata.deletionGracePeriodSeconds = seconds;
  // Marking counts as a change of the object's desired state, once.
  if (marked === undefined && generation !== undefined) metadata.generation = Number(metadata.generation) + 1;
}

/** The finalizers that the propagation policy asks for, added to those there are. */
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

/** True where nothing is said of what becomes of dependents. */
export const isUndecided = ({ propagationPolicy, orphanDependents }: DeleteOptions): boolean =>
  (propagationPolicy ?? orphanDependents ?? undefined) === undefined;
