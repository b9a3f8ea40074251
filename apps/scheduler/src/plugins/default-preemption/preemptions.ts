import { isReason } from '@annex/machinery';
import type { Handle } from '../../framework/handle.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { Victims } from './select-victims.ts';

/** The preemptions that run: they delete victims while the scheduler goes on. */
export class Preemptions {
  readonly #handle: Handle;
  /** The last victim of each preemptor by the preemptor's UID; empty while others are deleted. */
  readonly #running = new Map<string, string>();

  constructor(handle: Handle) {
    this.#handle = handle;
  }

  /** Returns whether a Pod must wait because its victims are not deleted yet. */
  isRunning(uid: string): boolean {
    const last = this.#running.get(uid);
    if (last === undefined) return false;
    if (last === '') return true;
    const victim = this.#handle.cluster.pods.get(last);
    return victim !== undefined && !victim.isTerminating;
  }

  /** Deletes the victims that are not terminating already. */
  start(pod: PodInfo, { node, pods }: Victims): void {
    const victims = pods.filter(({ isTerminating }) => !isTerminating);
    if (victims.length === 0) return;
    this.#running.set(pod.uid, '');
    void this.#preempt(pod, node, victims)
      .catch((error: unknown) => {
        this.#handle.log.warn('a preemption failed', { pod: pod.key, error: String(error) });
        return 'failed' as const;
      })
      .then((result) => {
        this.#running.delete(pod.uid);
        if (result === 'failed') this.#handle.activate(pod);
      });
  }

  async #preempt(pod: PodInfo, node: string, victims: readonly PodInfo[]): Promise<void> {
    const { api, nominatedPods } = this.#handle;
    const lower = nominatedPods(node).filter(
      ({ priority, uid }) => priority < pod.priority && uid !== pod.uid,
    );
    await Promise.all(lower.map((other) => api.patchStatus(other, { nominatedNode: '' })));
    const last = victims.at(-1);
    await Promise.all(victims.slice(0, -1).map((victim) => this.#end(victim, pod, node)));
    if (last === undefined) return;
    // From here on the deletion of the last victim brings the Pod back.
    this.#running.set(pod.uid, last.key);
    await this.#end(last, pod, node);
  }

  async #end(victim: PodInfo, pod: PodInfo, node: string): Promise<void> {
    const { api, recorder, schedulerName } = this.#handle;
    try {
      await api.patchStatus(victim, {
        condition: {
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'PreemptionByScheduler',
          message: `${schedulerName}: preempting to accommodate a higher priority pod`,
        },
      });
      await api.deletePod(victim);
    } catch (error) {
      if (isReason(error, 'NotFound')) return;
      throw error;
    }
    recorder.record({
      regarding: victim.pod,
      type: 'Normal',
      reason: 'Preempted',
      action: 'Preempting',
      note: `Preempted by pod ${pod.uid} on node ${node}`,
    });
  }
}
