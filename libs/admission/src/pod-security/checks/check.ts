import type { PodLike } from '../pod.ts';

/** A violation of a Pod Security Standard. */
export interface Violation {
  reason: string;
  detail: string;
}

/** Returns the violation of a pod, if any. */
export type CheckPod = (pod: PodLike) => Violation | undefined;

export const quoted = (texts: Iterable<string>): string => [...texts].map((text) => `"${text}"`).join(', ');

export const sortedSet = (texts: Iterable<string>): string[] => [...new Set(texts)].sort(byBytes);

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

/** Formats names: `container "a"`, `containers "a", "b"`. */
export const named = (word: string, names: readonly string[]): string =>
  `${plural(word, names.length)} ${quoted(names)}`;

/** Returns who sets a field: the pod, containers, or both. */
export const setters = (pod: boolean, containers: readonly string[]): string[] => [
  ...(pod ? ['pod'] : []),
  ...(containers.length > 0 ? [named('container', containers)] : []),
];

/** Wraps a check so that Windows pods pass. */
export const exceptWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

/** Wraps a check so that pods with a separate user namespace pass. */
export const exceptOwnUsers =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
