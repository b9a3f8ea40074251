import type { PodLike } from '../pod.ts';

/** Why a pod is not allowed. */
export interface Violation {
  reason: string;
  detail: string;
}

/** Finds what a pod may not do; nothing where it is well. */
export type CheckPod = (pod: PodLike) => Violation | undefined;

export const quoted = (texts: Iterable<string>): string => [...texts].map((text) => `"${text}"`).join(', ');

export const sortedSet = (texts: Iterable<string>): string[] => [...new Set(texts)].sort(byBytes);

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

/** `container "a"`, `containers "a", "b"` */
export const named = (word: string, names: readonly string[]): string =>
  `${plural(word, names.length)} ${quoted(names)}`;

/** Who has set something: the pod, containers, or both. */
export const setters = (pod: boolean, containers: readonly string[]): string[] => [
  ...(pod ? ['pod'] : []),
  ...(containers.length > 0 ? [named('container', containers)] : []),
];

/** A check that pods for Windows pass. */
export const exceptWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : check(pod);

/** A check that pods in a user namespace of their own pass. */
export const exceptOwnUsers =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
