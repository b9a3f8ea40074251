import { inSlices, TimeSlice } from '../cycle/time-slice.ts';
import type { Clock, Timer } from '@annex/runtime';
import { type ClusterEvent, covers, type EventRegistration, podEvents } from '../framework/cluster-event.ts';
import type { Profile } from '../framework/profile.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { Heap } from './heap.ts';
import { Nominator } from './nominator.ts';
import { podChanges } from './pod-changes.ts';
import { type QueuedPodInfo, queuedPod, wasRefused } from './queued-pod.ts';

/** The times of the queue, in milliseconds. */
export interface QueueTimes {
  initialBackoffMs: number;
  maxBackoffMs: number;
  /** A refused Pod is tried again after this time even if nothing changed. */
  maxUnschedulableMs: number;
  /** Takes Pods before the end of their backoff if no others wait. */
  popsFromBackoff: boolean;
}

/** What the queue reports. */
export interface QueueMetrics {
  incoming(queue: 'active' | 'backoff' | 'unschedulable', event: string): void;
  refusedBy(plugin: string, profile: string, change: 1 | -1): void;
}

/** A change of an object, with its versions as the hints of plugins get them. */
export interface Change {
  event: ClusterEvent;
  before?: unknown;
  after?: unknown;
}

// Ends of backoffs are aligned, so that Pods of about the same age are ordered by priority. Source: kube-scheduler.
const backoffWindowMs = 1_000;
const leftoverIntervalMs = 30_000;

/** How a Pod returns to the queue. */
type Return = 'skip' | 'afterBackoff' | 'immediately';

/**
 * The Pods that wait: active ones in the order of the queue sort, those that back off after a failure, and those that were refused or are
 * gated. A refused Pod returns when something changed that, by the hints of the plugins that refused it, may help.
 */
export class SchedulingQueue {
  readonly nominator = new Nominator();
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #registrations: ReadonlyMap<string, ReadonlyMap<string, readonly EventRegistration[]>>;
  readonly #times: QueueTimes;
  readonly #clock: Clock;
  readonly #metrics: QueueMetrics;
  readonly #active: Heap<QueuedPodInfo>;
  readonly #backoff: Heap<QueuedPodInfo>;
  /** Backs off after an error: not taken early. */
  readonly #errorBackoff: Heap<QueuedPodInfo>;
  readonly #refused = new Map<string, QueuedPodInfo>();
  readonly #leftover: Timer;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;

  constructor(
    profiles: ReadonlyMap<string, Profile>,
    { clock, metrics, times }: { clock: Clock; metrics: QueueMetrics; times: QueueTimes },
  ) {
    this.#profiles = profiles;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#times = times;
    this.#registrations = new Map([...profiles].map(([name, profile]) => [name, profile.registrations()]));
    const [sort] = [...profiles.values()].flatMap((profile) => profile.at('queueSort'));
    const less = (a: QueuedPodInfo, b: QueuedPodInfo): boolean => sort?.less?.(a, b) ?? false;
    const key = ({ info }: QueuedPodInfo) => info.key;
    const ended = (a: QueuedPodInfo, b: QueuedPodInfo): boolean => {
      const [first, second] = [this.#backoffEnd(a), this.#backoffEnd(b)];
      return first === second ? less(a, b) : first < second;
    };
    this.#active = new Heap(key, less);
    this.#backoff = new Heap(key, ended);
    this.#errorBackoff = new Heap(key, ended);
    this.#leftover = clock.setInterval(() => this.#flushLeftover(), leftoverIntervalMs);
  }

  /** The number of Pods in each queue. */
  get sizes(): { active: number; backoff: number; unschedulable: number; gated: number } {
    const gated = [...this.#refused.values()].filter(({ gate }) => gate !== '').length;
    return {
      active: this.#active.size,
      backoff: this.#backoff.size + this.#errorBackoff.size,
      unschedulable: this.#refused.size - gated,
      gated,
    };
  }

  stop(): void {
    this.#leftover.cancel();
    this.#timer?.cancel();
    this.#wake?.();
  }

  /** Returns the next Pod; one that backs off if no other waits. */
  pop(): QueuedPodInfo | undefined {
    this.#flushBackoff();
    const queued = this.#active.pop() ?? (this.#times.popsFromBackoff ? this.#popEarly() : undefined);
    if (queued === undefined) return undefined;
    queued.attempts++;
    this.#countRejectors(queued, -1);
    queued.rejectors = new Set();
    queued.pending = new Set();
    return queued;
  }

  /** Resolves when a Pod may have become active, or the queue is stopped. */
  wait(): Promise<void> {
    const waiting = this.#times.popsFromBackoff ? [this.#errorBackoff] : [this.#errorBackoff, this.#backoff];
    const ends = waiting.flatMap((heap) => heap.peek() ?? []).map((next) => this.#backoffEnd(next));
    if (ends.length > 0) this.#wakeAt(Math.min(...ends));
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  add(info: PodInfo): void {
    this.#toActive(queuedPod(info, this.#clock.monotonic()), podEvents.unscheduledAdd.label, false);
  }

  /** Follows a change of a waiting Pod itself. */
  update(before: PodInfo, info: PodInfo): void {
    const waiting = [this.#active, this.#backoff, this.#errorBackoff].find((heap) => heap.get(info.key));
    const queued = waiting?.get(info.key);
    if (waiting !== undefined && queued !== undefined) {
      queued.info = info;
      this.nominator.update(before, info);
      waiting.add(queued);
      return;
    }
    const refused = this.#refused.get(info.key);
    if (refused === undefined) return this.add(info);
    refused.info = info;
    this.nominator.update(before, info);
    for (const event of podChanges(before, info))
      if (this.#requeue(refused, this.#returnOf(refused, { event, before, after: info }), event.label))
        return;
  }

  delete({ key, uid }: Pick<PodInfo, 'key' | 'uid'>): void {
    this.nominator.delete(uid);
    this.#remove(key);
  }

  /** Takes a Pod back after an attempt. `isFromBinding`: nobody recorded what changed since its cycle. */
  addFailed(queued: QueuedPodInfo, isFromBinding = false): void {
    if (this.#isWaiting(queued.info.key)) return;
    const isRefusal = wasRefused(queued);
    if (isRefusal) {
      queued.refusals++;
      queued.errors = 0;
    } else queued.errors++;
    queued.timestamp = this.#clock.monotonic();
    queued.backoffEnd = undefined;
    this.#countRejectors(queued, 1);
    const back = isRefusal && !isFromBinding ? 'skip' : 'afterBackoff';
    if (!this.#requeue(queued, back, 'ScheduleAttemptFailure'))
      this.#keepRefused(queued, 'ScheduleAttemptFailure');
  }

  /** Moves the refused Pods that one of the changes of an object may help. Returns a promise if there are many. */
  moveAll(
    changes: readonly Change[],
    check: (info: PodInfo) => boolean = () => true,
  ): Promise<void> | undefined {
    const relevant = changes.filter(({ event }) => this.#isOfInterest(event));
    if (this.#refused.size === 0 || relevant.length === 0) return undefined;
    return inSlices([...this.#refused.values()], (queued) => {
      if (!this.#isRefused(queued) || !check(queued.info)) return;
      for (const change of relevant) {
        if (queued.gate !== '' && !this.#covers(queued, queued.gate, change.event)) continue;
        if (this.#requeue(queued, this.#returnOf(queued, change), change.event.label)) return;
      }
    });
  }

  /** Moves a Pod to the active queue, whatever refused it. */
  activate({ key }: Pick<PodInfo, 'key'>): void {
    const backingOff = this.#backoff.delete(key) ?? this.#errorBackoff.delete(key);
    const queued = backingOff ?? this.#refused.get(key);
    if (queued !== undefined) this.#toActive(queued, 'ForceActivate', backingOff !== undefined);
  }

  /** False for a Pod that left the refused ones during a pause. */
  #isRefused(queued: QueuedPodInfo): boolean {
    return this.#refused.get(queued.info.key) === queued;
  }

  #isWaiting(key: string): boolean {
    return (
      this.#refused.has(key) ||
      [this.#active, this.#backoff, this.#errorBackoff].some((heap) => heap.get(key) !== undefined)
    );
  }

  #remove(key: string): void {
    const refused = this.#refused.get(key);
    if (refused !== undefined) this.#countRejectors(refused, -1);
    this.#refused.delete(key);
    for (const heap of [this.#active, this.#backoff, this.#errorBackoff]) heap.delete(key);
  }

  #popEarly(): QueuedPodInfo | undefined {
    const queued = this.#backoff.pop();
    if (queued !== undefined) this.#metrics.incoming('active', 'PopFromBackoffQ');
    return queued;
  }

  /** Moves Pods whose backoff has ended, as many as a slice of time allows; the next call moves the others. */
  #flushBackoff(): void {
    const now = this.#clock.monotonic();
    const slice = new TimeSlice();
    for (const heap of [this.#backoff, this.#errorBackoff])
      for (let next = heap.peek(); next !== undefined && this.#backoffEnd(next) <= now; next = heap.peek()) {
        if (slice.isOverAfterStep()) return;
        heap.pop();
        this.#toActive(next, 'BackoffComplete', true);
      }
  }

  #flushLeftover(): void {
    const limit = this.#clock.monotonic() - this.#times.maxUnschedulableMs;
    void inSlices([...this.#refused.values()], (queued) => {
      if (this.#isRefused(queued) && queued.timestamp < limit && queued.gate === '')
        this.#requeue(queued, 'afterBackoff', 'UnschedulableTimeout');
    });
  }

  /** Returns whether the Pod left the refused ones. */
  #requeue(queued: QueuedPodInfo, back: Return, event: string): boolean {
    if (back === 'skip') return false;
    if (back === 'afterBackoff' && this.#backoffEnd(queued) > this.#clock.monotonic())
      return this.#toBackoff(queued, event);
    return this.#toActive(queued, event, false);
  }

  #toActive(queued: QueuedPodInfo, event: string, isAfterBackoff: boolean): boolean {
    // The plugins were run when its backoff began.
    if (!isAfterBackoff) {
      this.#runPreEnqueue(queued);
      queued.queuedBy = event;
    }
    if (queued.gate !== '') return this.#keepRefused(queued, event);
    queued.firstAttempt ??= this.#clock.monotonic();
    this.#refused.delete(queued.info.key);
    this.#active.add(queued);
    this.#metrics.incoming('active', event);
    if (event.startsWith('UnschedulablePod')) this.nominator.set(queued.info);
    this.#wake?.();
    return true;
  }

  #toBackoff(queued: QueuedPodInfo, event: string): boolean {
    queued.queuedBy = event;
    this.#runPreEnqueue(queued);
    if (queued.gate !== '') return this.#keepRefused(queued, event);
    this.#refused.delete(queued.info.key);
    if (wasRefused(queued)) this.#backoff.add(queued);
    else this.#errorBackoff.add(queued);
    this.#metrics.incoming('backoff', event);
    this.#wake?.();
    return true;
  }

  #keepRefused(queued: QueuedPodInfo, event: string): false {
    this.#refused.set(queued.info.key, queued);
    this.#metrics.incoming('unschedulable', event);
    return false;
  }

  #runPreEnqueue(queued: QueuedPodInfo): void {
    const plugins = this.#profiles.get(queued.info.pod.spec.schedulerName ?? '')?.at('preEnqueue') ?? [];
    const first = plugins.filter(({ name }) => name === queued.gate);
    for (const plugin of [...first, ...plugins.filter(({ name }) => name !== queued.gate)]) {
      if (plugin.preEnqueue?.(queued.info) === undefined) continue;
      if (!queued.rejectors.has(plugin.name)) {
        queued.rejectors.add(plugin.name);
        this.#metrics.refusedBy(plugin.name, queued.info.pod.spec.schedulerName ?? '', 1);
      }
      queued.gate = plugin.name;
      return;
    }
    queued.gate = '';
  }

  #countRejectors({ rejectors, pending, info }: QueuedPodInfo, change: 1 | -1): void {
    for (const plugin of rejectors.union(pending))
      this.#metrics.refusedBy(plugin, info.pod.spec.schedulerName ?? '', change);
  }

  #isOfInterest(event: ClusterEvent): boolean {
    for (const registrations of this.#registrations.values())
      for (const events of registrations.values())
        if (events.some((registration) => covers(registration, event))) return true;
    return false;
  }

  #registered({ info }: QueuedPodInfo, plugin: string): readonly EventRegistration[] {
    return this.#registrations.get(info.pod.spec.schedulerName ?? '')?.get(plugin) ?? [];
  }

  #covers(queued: QueuedPodInfo, plugin: string, event: ClusterEvent): boolean {
    return this.#registered(queued, plugin).some((registration) => covers(registration, event));
  }

  #returnOf(queued: QueuedPodInfo, { event, before, after }: Change): Return {
    if (!wasRefused(queued)) return 'afterBackoff';
    let back: Return = 'skip';
    for (const plugin of queued.rejectors.union(queued.pending))
      for (const registration of this.#registered(queued, plugin)) {
        if (!covers(registration, event)) continue;
        const mayHelp = registration.hint?.(queued.info as never, before as never, after as never) ?? true;
        if (!mayHelp) continue;
        if (queued.pending.has(plugin)) return 'immediately';
        back = 'afterBackoff';
      }
    return back;
  }

  /** The end of the backoff: the time doubles with each refusal, or with each error in a row. */
  #backoffEnd(queued: QueuedPodInfo): number {
    const times = queued.errors > 0 ? queued.errors : queued.refusals;
    if (times === 0) return 0;
    const { initialBackoffMs, maxBackoffMs } = this.#times;
    const end = queued.timestamp + Math.min(initialBackoffMs * 2 ** (times - 1), maxBackoffMs);
    return (queued.backoffEnd ??= Math.floor(end / backoffWindowMs) * backoffWindowMs);
  }

  #wakeAt(time: number): void {
    this.#timer?.cancel();
    this.#timer = this.#clock.setTimeout(() => this.#wake?.(), Math.max(0, time - this.#clock.monotonic()));
  }
}
