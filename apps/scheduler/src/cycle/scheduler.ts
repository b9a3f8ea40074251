import type { FeatureGates } from '../config/feature-gates.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Logger } from '@annex/runtime';
import type { EventRecorder } from '../api/event-recorder.ts';
import type { SchedulerApi } from '../api/scheduler-api.ts';
import type { Cluster } from '../cache/cluster.ts';
import { type Attempts, choiceOf } from '../explain/attempts.ts';
import { Cycle } from '../framework/cycle.ts';
import type { Diagnosis } from '../framework/diagnosis.ts';
import type { Profile } from '../framework/profile.ts';
import { Status } from '../framework/status.ts';
import type { QueuedPodInfo } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { Binder } from './binder.ts';
import type { Changes } from './changes.ts';
import { type Decider, refusedOn } from './decide.ts';
import { type Failure, FailureHandler } from './failure.ts';
import type { SchedulerMetrics } from './scheduler-metrics.ts';

/** A profile with its event recorder. */
export interface RunningProfile {
  profile: Profile;
  recorder: EventRecorder;
}

export interface SchedulerDeps {
  api: SchedulerApi;
  attempts: Attempts;
  changes: Changes;
  clock: Clock;
  cluster: Cluster;
  decider: Decider;
  features: FeatureGates;
  log: Logger;
  metrics: SchedulerMetrics;
  profiles: ReadonlyMap<string, RunningProfile>;
  queue: SchedulingQueue;
  /** Binds instead of the bind plugins; `undefined` leaves it to them. */
  bindByExtender: Binder['bindByExtender'];
}

/** Pods whose binding may run at the same time. */
export const maxBindings = 256;
/** Milliseconds between two looks at an expired lease. Its process ends soon, or renews it. */
const expiredLeaseMs = 100;
/** Milliseconds of decisions after which other work gets its turn. */
const sliceMs = 10;

/** Schedules one Pod after the other; bindings run concurrently. */
export class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #failures: FailureHandler;
  readonly #binder: Binder;
  #isStopping = false;
  /** The cycle that runs. */
  #cycle: Cycle | undefined;
  #running: Promise<void> | undefined;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.#failures = new FailureHandler(deps);
    this.#binder = new Binder(deps, this.#failures);
  }

  /** The number of Pods that are being bound. */
  get bindings(): number {
    return this.#binder.size;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the binding of a Pod that was deleted. */
  cancel(uid: string): void {
    this.#binder.cancel(uid);
  }

  /** Resolves when no cycle and no binding runs. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#deps.queue.stop();
    this.#cycle?.abort(new Error('the scheduler stops'));
    await this.#running;
    await this.#binder.stop();
  }

  async #run(): Promise<void> {
    const { api, changes, clock, queue } = this.#deps;
    let sliceEnd = clock.monotonic() + sliceMs;
    while (!this.#isStopping) {
      if (!api.mayWrite) {
        await clock.sleep(expiredLeaseMs);
        continue;
      }
      await changes.settled;
      const queued = queue.pop();
      if (queued === undefined) await queue.wait();
      else await changes.during(() => this.#scheduleOne(queued));
      await this.#binder.room();
      if (clock.monotonic() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = clock.monotonic() + sliceMs;
    }
  }

  async #scheduleOne(queued: QueuedPodInfo): Promise<void> {
    const { cluster, clock, log, profiles } = this.#deps;
    const { info } = queued;
    const running = profiles.get(info.pod.spec.schedulerName ?? '');
    if (running === undefined) return;
    if (info.isTerminating) {
      const note = `skip schedule deleting pod: ${info.namespace}/${info.name}`;
      running.recorder.record({ ...failedScheduling, regarding: info.pod, note });
      return;
    }
    if (cluster.assumedNode(info.uid) !== undefined) return;
    const start = clock.monotonic();
    const cycle = new Cycle();
    this.#cycle = cycle;
    let failure: Failure | undefined;
    try {
      failure = await this.#decideAndAssume(running, cycle, queued, start);
    } catch (error) {
      log.info('a scheduling cycle failed', { pod: info.key, error: String(error) });
      failure = { kind: 'error', message: (error as Error).message };
    }
    // A cycle that was ended has no result to report.
    if (failure !== undefined && !cycle.signal.aborted)
      this.#failures.handle(running, queued, failure, start);
  }

  async #decideAndAssume(
    running: RunningProfile,
    cycle: Cycle,
    queued: QueuedPodInfo,
    start: number,
  ): Promise<Failure | undefined> {
    const { clock, cluster, decider, metrics, queue } = this.#deps;
    const decided = () => metrics.decided((clock.monotonic() - start) / 1000);
    const { info } = queued;
    const { profile } = running;
    const decision = await this.#measured(profile, 'Filter', () => decider.decide(profile, cycle, info));
    if (decision.kind === 'noNodes')
      return { kind: 'refused', message: 'no nodes available to schedule pods', nominatedNode: '' };
    if (decision.kind === 'refused')
      return await this.#postFilter(running, cycle, queued, decision.diagnosis).finally(decided);
    decided();
    const { node } = decision;
    cluster.assume(info, node);
    queue.nominator.delete(info.uid);
    const refusal = this.#reserve(profile, cycle, queued, node) ?? this.#permit(profile, cycle, queued, node);
    if (refusal !== undefined && refusal.code !== 'wait') {
      this.#binder.unreserve(profile, cycle, info, node);
      return refusal.isRejection
        ? { kind: 'refused', diagnosis: refusedOn(node, refusal), nominatedNode: '' }
        : { kind: 'error', message: refusal.message };
    }
    const choice = choiceOf(node, decision.scores);
    this.#binder.start({ running, cycle, queued, node, start, choice });
    return undefined;
  }

  async #postFilter(
    { profile }: RunningProfile,
    cycle: Cycle,
    { info }: QueuedPodInfo,
    diagnosis: Diagnosis,
  ): Promise<Failure> {
    if (profile.at('postFilter').length === 0) return { kind: 'refused', diagnosis, nominatedNode: '' };
    const { status, nominatedNode } = await this.#measured(profile, 'PostFilter', () =>
      profile.postFilter(cycle, info, diagnosis),
    );
    if (profile.at('postFilter').some(({ name }) => name === 'DefaultPreemption'))
      this.#deps.metrics.preempted();
    diagnosis.postFilterMessage = status?.message ?? '';
    return { kind: 'refused', diagnosis, ...(nominatedNode === undefined ? {} : { nominatedNode }) };
  }

  #reserve(profile: Profile, cycle: Cycle, { info }: QueuedPodInfo, node: string): Status | undefined {
    for (const plugin of profile.at('reserve')) {
      const status = plugin.reserve?.(cycle, info, node);
      if (status === undefined) continue;
      status.plugin = plugin.name;
      if (status.isRejection) return status;
      return new Status('error', [`running Reserve plugin "${plugin.name}": ${status.message}`], plugin.name);
    }
    return undefined;
  }

  #permit(profile: Profile, cycle: Cycle, { info }: QueuedPodInfo, node: string): Status | undefined {
    let wait: Status | undefined;
    for (const plugin of profile.at('permit')) {
      const { status, waitMs } = plugin.permit?.(cycle, info, node) ?? {};
      if (status?.code === 'wait' || (status === undefined && waitMs !== undefined)) {
        wait = new Status('wait', [], plugin.name);
        cycle.permitWaits.push({ plugin: plugin.name, waitMs: waitMs ?? 0 });
      } else if (status !== undefined) {
        status.plugin = plugin.name;
        if (status.isRejection) return status;
        return new Status(
          'error',
          [`running Permit plugin "${plugin.name}": ${status.message}`],
          plugin.name,
        );
      }
    }
    return wait;
  }

  async #measured<T>(profile: Profile, point: string, run: () => Promise<T>): Promise<T> {
    const start = this.#deps.clock.monotonic();
    try {
      return await run();
    } finally {
      const seconds = (this.#deps.clock.monotonic() - start) / 1000;
      this.#deps.metrics.point(profile.schedulerName, point, 'Success', seconds);
      for (const { name } of profile.at('filter'))
        this.#deps.metrics.evaluated(profile.schedulerName, point, name);
    }
  }
}

/** The parts that events about failed attempts share. */
export const failedScheduling = {
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Scheduling',
} as const;
