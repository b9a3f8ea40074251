import type { Cycle } from '../framework/cycle.ts';
import type { Attempt } from '../explain/attempts.ts';
import { podEvents } from '../framework/cluster-event.ts';
import type { Profile } from '../framework/profile.ts';
import { Status } from '../framework/status.ts';
import { PodInfo } from '../objects/pod-info.ts';
import type { QueuedPodInfo } from '../queue/queued-pod.ts';
import { refusedOn } from './decide.ts';
import type { Failure, FailureHandler } from './failure.ts';
import { maxBindings, type RunningProfile, type SchedulerDeps } from './scheduler.ts';

/** A Pod with the node that was chosen for it. */
export interface Binding {
  running: RunningProfile;
  cycle: Cycle;
  queued: QueuedPodInfo;
  node: string;
  /** The start of the attempt; milliseconds of the monotonic clock. */
  start: number;
  /** What its attempt keeps of the decision. */
  choice: Pick<Attempt, 'feasibleNodes' | 'scores'>;
}

/** Binds Pods to their nodes, concurrently. */
export class Binder {
  readonly #deps: SchedulerDeps;
  readonly #failures: FailureHandler;
  readonly #running = new Map<string, { cycle: Cycle; done: Promise<void> }>();

  constructor(deps: SchedulerDeps, failures: FailureHandler) {
    this.#deps = deps;
    this.#failures = failures;
  }

  get size(): number {
    return this.#running.size;
  }

  /** Binds by an extender; resolves to undefined if none is responsible. */
  get bindByExtender(): (pod: PodInfo, node: string) => Promise<'bound' | undefined> {
    return this.#deps.bindByExtender;
  }

  start(binding: Binding): void {
    const { uid } = binding.queued.info;
    const done = this.#bind(binding).then(() => void this.#running.delete(uid));
    this.#running.set(uid, { cycle: binding.cycle, done });
  }

  /** Ends what the plugins of a Pod wait for. */
  cancel(uid: string): void {
    this.#running.get(uid)?.cycle.abort(new Error('the pod was deleted'));
  }

  /** Resolves when another binding may start. */
  async room(): Promise<void> {
    while (this.#running.size >= maxBindings)
      await Promise.race([...this.#running.values()].map(({ done }) => done));
  }

  async stop(): Promise<void> {
    for (const { cycle } of this.#running.values()) cycle.abort(new Error('the scheduler stops'));
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  unreserve(profile: Profile, cycle: Cycle, info: PodInfo, node: string): void {
    for (const plugin of profile.at('reserve').toReversed()) plugin.unreserve?.(cycle, info, node);
    this.#deps.cluster.forget(info.uid);
  }

  async #bind(binding: Binding): Promise<void> {
    const { changes, clock, metrics } = this.#deps;
    const { running, queued, node, start } = binding;
    const { profile, recorder } = running;
    const { info } = queued;
    const status = await this.#steps(binding).catch(
      (error: unknown) => new Status('error', [(error as Error).message]),
    );
    if (status !== undefined) return changes.apply(() => this.#fail(binding, status));
    const note = `Successfully assigned ${info.namespace}/${info.name} to ${node}`;
    recorder.record({ regarding: info.pod, type: 'Normal', reason: 'Scheduled', action: 'Binding', note });
    const now = clock.monotonic();
    metrics.attempted(profile.schedulerName, 'scheduled', (now - start) / 1000);
    this.#failures.remember(running, queued, start, {
      result: 'bound',
      message: '',
      node,
      ...binding.choice,
    });
    metrics.bound(queued.attempts, (now - (queued.firstAttempt ?? start)) / 1000);
    for (const plugin of profile.at('postBind')) plugin.postBind?.(binding.cycle, info, node);
  }

  async #steps({ running, cycle, queued, node }: Binding): Promise<Status | undefined> {
    const { api } = this.#deps;
    const { profile } = running;
    const { info } = queued;
    const busy = profile
      .at('preBind')
      .filter((plugin) => plugin.preBindPreFlight?.(cycle, info, node) !== 'skip');
    const isExpected = this.#deps.features.has('NominatedNodeNameForExpectation');
    if (isExpected && (busy.length > 0 || cycle.permitWaits.length > 0))
      // Others see where the Pod will be, while the plugins prepare the node.
      await api.patchStatus(info, { nominatedNode: node }).catch(() => undefined);
    const refusal = await cycle.waitForPermits(this.#deps.clock);
    if (refusal !== undefined) return refusal;
    for (const plugin of busy) {
      const status = await plugin.preBind?.(cycle, info, node);
      if (status === undefined) continue;
      if (status.isRejection) return status;
      return new Status('error', [`running PreBind plugin "${plugin.name}": ${status.message}`]);
    }
    cycle.signal.throwIfAborted();
    if ((await this.#deps.bindByExtender(info, node)) === 'bound') return undefined;
    return await bindByPlugins(profile, cycle, info, node);
  }

  #fail({ running, cycle, queued, node, start }: Binding, status: Status): Promise<void> | undefined {
    const { info } = queued;
    this.unreserve(running.profile, cycle, info, node);
    const { pod } = info;
    const before = new PodInfo({ ...pod, spec: { ...pod.spec, nodeName: node } });
    const failure: Failure = status.isRejection
      ? { kind: 'refused', diagnosis: refusedOn(node, status), nominatedNode: '' }
      : { kind: 'error', message: status.message };
    const moved = this.#deps.queue.moveAll([{ event: podEvents.assignedDelete, before }]);
    this.#failures.handle(running, queued, failure, start, true);
    return moved;
  }
}

async function bindByPlugins(
  profile: Profile,
  cycle: Cycle,
  info: PodInfo,
  node: string,
): Promise<Status | undefined> {
  for (const plugin of profile.at('bind')) {
    const status = await plugin.bind?.(cycle, info, node);
    if (status === 'skip') continue;
    if (status === undefined || status.isRejection) return status;
    return new Status('error', [`running Bind plugin "${plugin.name}": ${status.message}`]);
  }
  return new Status('error', ['no plugin bound the pod']);
}
