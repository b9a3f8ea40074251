import type { PodInfo } from '../objects/pod-info.ts';

/** A Pod that waits to be scheduled, with its past attempts. */
export interface QueuedPodInfo {
  info: PodInfo;
  /** When it entered the queue, or its last attempt failed; milliseconds of the monotonic clock. */
  timestamp: number;
  /** When it first entered the active queue. */
  firstAttempt: number | undefined;
  attempts: number;
  /** Attempts that plugins refused. */
  refusals: number;
  /** Attempts that failed by errors since the last refusal. */
  errors: number;
  /** The end of the backoff; computed when it is needed. */
  backoffEnd: number | undefined;
  /** The plugins that refused it at the last attempt. */
  rejectors: Set<string>;
  /** Those that wait for a component outside. */
  pending: Set<string>;
  /** The plugin that keeps it out of the queue. */
  gate: string;
  /** What moved it into the queue. */
  queuedBy: string;
}

export const queuedPod = (info: PodInfo, timestamp: number): QueuedPodInfo => ({
  info,
  timestamp,
  firstAttempt: undefined,
  attempts: 0,
  refusals: 0,
  errors: 0,
  backoffEnd: undefined,
  rejectors: new Set(),
  pending: new Set(),
  gate: '',
  queuedBy: '',
});

export const wasRefused = ({ rejectors, pending }: QueuedPodInfo): boolean =>
  rejectors.size > 0 || pending.size > 0;
