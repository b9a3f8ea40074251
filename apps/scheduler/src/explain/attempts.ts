import type { Diagnosis } from '../framework/diagnosis.ts';
import type { NodeScores } from '../framework/profile.ts';

/** Attempts to schedule a Pod that are remembered. */
export const maxRememberedAttempts = 8;
/** Pods whose attempts are remembered. */
export const maxPodsWithAttempts = 1_000;
/** Reasons of refusals that an attempt keeps, those of most nodes first. */
export const maxAttemptReasons = 20;
/** Characters of a message or reason that an attempt keeps. */
export const maxAttemptText = 1_024;

/** A reason, and the nodes that a plugin refused for it. */
export interface Refusal {
  plugin: string;
  reason: string;
  nodes: number;
  /** The names of up to three of them. */
  examples: readonly string[];
}

/** One attempt to schedule a Pod. */
export interface Attempt {
  /** When it began: RFC 3339 with milliseconds. */
  at: string;
  schedulerName: string;
  /** 1 for the first one of the Pod. */
  number: number;
  /** What moved the Pod into the queue, as in the metrics: `UnschedulablePodAdd`, `AssignedPodDelete`. */
  queuedBy: string;
  /** From the beginning of the decision to its end; to the end of the binding for a bound Pod. */
  durationMs: number;
  result: 'bound' | 'unschedulable' | 'error';
  /** The message of the condition; empty for a bound Pod. */
  message: string;
  /** The node that was chosen, or where preemption makes room. */
  node?: string;
  /** The nodes that passed the filters. */
  feasibleNodes?: number;
  /** The weighted scores of the chosen node by plugin. */
  scores?: Readonly<Record<string, number>>;
  refusals: readonly Refusal[];
}

/** The last attempts of the last Pods. */
export class Attempts {
  readonly #byPod = new Map<string, { uid: string; attempts: Attempt[] }>();

  /** Adds an attempt of the Pod `namespace/name`. An earlier Pod of the name is forgotten. */
  add(pod: { key: string; uid: string }, attempt: Attempt): void {
    const known = this.#byPod.get(pod.key);
    const attempts = known?.uid === pod.uid ? known.attempts : [];
    attempts.push(attempt);
    if (attempts.length > maxRememberedAttempts) attempts.shift();
    this.#byPod.delete(pod.key);
    this.#byPod.set(pod.key, { uid: pod.uid, attempts });
    for (const oldest of this.#byPod.keys()) {
      if (this.#byPod.size <= maxPodsWithAttempts) break;
      this.#byPod.delete(oldest);
    }
  }

  /** Returns the attempts of a Pod, the oldest first. */
  of(key: string): readonly Attempt[] {
    return this.#byPod.get(key)?.attempts ?? [];
  }
}

/** Returns the part of a text that an attempt keeps. */
export const attemptText = (text: string): string =>
  text.length <= maxAttemptText ? text : `${text.slice(0, maxAttemptText)}…`;

/** Counts the refusals of a diagnosis by plugin and reason. */
export function refusalsOf(diagnosis: Diagnosis | undefined): Refusal[] {
  const counted = new Map<string, Refusal & { examples: string[] }>();
  for (const [node, { plugin, reasons }] of diagnosis?.nodes ?? [])
    for (const reason of reasons) {
      const key = `${plugin} ${reason}`;
      const known = counted.get(key);
      if (known === undefined)
        counted.set(key, { plugin, reason: attemptText(reason), nodes: 1, examples: [node] });
      else {
        known.nodes++;
        if (known.examples.length < 3) known.examples.push(node);
      }
    }
  return [...counted.values()].toSorted((a, b) => b.nodes - a.nodes).slice(0, maxAttemptReasons);
}

/** Returns what an attempt keeps of the scores of the chosen node. */
export const choiceOf = (
  node: string,
  scores: readonly NodeScores[],
): Pick<Attempt, 'feasibleNodes' | 'scores'> => {
  const chosen = scores.find((one) => one.node.name === node);
  // A single feasible node is not scored.
  if (chosen === undefined) return { feasibleNodes: 1 };
  return { feasibleNodes: scores.length, scores: Object.fromEntries(chosen.byPlugin) };
};
