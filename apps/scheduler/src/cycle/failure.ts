import { isReason } from '@annex/machinery';
import { type Attempt, attemptText, refusalsOf } from '../explain/attempts.ts';
import type { Diagnosis } from '../framework/diagnosis.ts';
import type { QueuedPodInfo } from '../queue/queued-pod.ts';
import { failedScheduling, type RunningProfile, type SchedulerDeps } from './scheduler.ts';

/** Why an attempt failed. */
export type Failure =
  | {
      kind: 'refused';
      diagnosis?: Diagnosis;
      /** Default: that of the diagnosis. */
      message?: string;
      /** The node where preemption makes room; empty removes a nomination, absent keeps it. */
      nominatedNode?: string;
    }
  | { kind: 'error'; message: string };

/** Takes Pods back into the queue and reports why they were not scheduled. */
export class FailureHandler {
  readonly #deps: SchedulerDeps;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** `isFromBinding`: the attempt failed after its cycle. */
  handle(
    running: RunningProfile,
    queued: QueuedPodInfo,
    failure: Failure,
    start: number,
    isFromBinding = false,
  ): void {
    const { api, clock, cluster, log, metrics, queue } = this.#deps;
    const { profile, recorder } = running;
    const isRefusal = failure.kind === 'refused';
    const result = isRefusal ? 'unschedulable' : 'error';
    metrics.attempted(profile.schedulerName, result, (clock.monotonic() - start) / 1000);
    const diagnosis = isRefusal ? failure.diagnosis : undefined;
    queued.rejectors = new Set(diagnosis?.plugins);
    queued.pending = new Set(diagnosis?.pendingPlugins);
    const current = cluster.pods.get(queued.info.key);
    if (current !== undefined) {
      if (current.uid !== queued.info.uid) return;
      if ((current.pod.spec.nodeName ?? '') !== '') return;
      queued.info = current;
      queue.addFailed(queued, isFromBinding);
    }
    const message = failure.message ?? diagnosis?.message ?? '';
    const nominatedNode = isRefusal ? failure.nominatedNode : '';
    this.remember(running, queued, start, {
      result,
      message: attemptText(message),
      ...(nominatedNode ? { node: nominatedNode } : {}),
      refusals: refusalsOf(diagnosis),
    });
    if (current !== undefined) queue.nominator.set(queued.info, nominatedNode);
    const { info } = queued;
    // The next leader decides about the Pod, and reports it.
    if (!api.mayWrite) return;
    recorder.record({ ...failedScheduling, regarding: info.pod, note: message });
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: isRefusal ? 'Unschedulable' : 'SchedulerError',
      message,
    };
    api.patchStatus(info, { condition, nominatedNode }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound'))
        log.info('the status of a pod was not written', { pod: info.key, error: String(error) });
    });
  }

  /** Remembers an attempt that ended. */
  remember(
    { profile: { schedulerName } }: RunningProfile,
    { info, attempts: number, queuedBy }: QueuedPodInfo,
    start: number,
    result: Pick<Attempt, 'result' | 'message'> & Partial<Attempt>,
  ): void {
    const { attempts, clock } = this.#deps;
    const durationMs = clock.monotonic() - start;
    const at = new Date(clock.now() - durationMs).toISOString();
    attempts.add(info, { at, schedulerName, number, queuedBy, durationMs, refusals: [], ...result });
  }
}
