import { formatMicroTime, isReason, type KubeObject } from '@annex/machinery';
import type { Clock, Logger } from '@annex/runtime';
import type { ClientRequest } from './client.ts';

/** The requests of {@link LeaderElection}. */
export interface LeaseRequests {
  /** Throws StatusError. */
  json<T>(request: Omit<ClientRequest, 'signal'>): Promise<T>;
}

/** Options of leader election among processes. Times as in kube-controller-manager. */
export interface Leadership {
  /** Unique for each process. */
  identity: string;
  /** Called when another process may lead; this process should end. */
  lost(): void;
  namespace?: string;
  name?: string;
  /** Milliseconds after which a lease expires that is not renewed. Default 15 s. */
  leaseDurationMs?: number;
  /** Milliseconds after which a leader gives up renewing. Default 10 s. */
  renewDeadlineMs?: number;
  /** Milliseconds between attempts. Default 2 s. */
  retryPeriodMs?: number;
}

/** The shortest timeout of a request in milliseconds. Source: client-go. */
const shortestRequestMs = 1_000;
/** The shortest wait for a lease to expire in milliseconds. */
const shortestWaitMs = 10;

interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

/** Callbacks, each called once. */
export interface LeadershipEvents {
  started(lease: KubeObject): void;
  lost(): void;
}

/**
 * Leads while it holds a Lease, by the rules of client-go: takes a lease that did not change for its duration by the local clock. The times
 * in the lease are not compared. A request that hangs does not prolong leadership.
 */
export class LeaderElection {
  readonly #api: LeaseRequests;
  readonly #leadership: Required<Leadership>;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #ending = new AbortController();
  #running: Promise<void> | undefined;
  #observed: { version: string; at: number; durationMs: number } | undefined;
  #lease: Lease | undefined;
  #holder: string | undefined;
  /** The monotonic time until which no other process can take the lease. */
  #heldUntil = -Infinity;

  constructor(api: LeaseRequests, leadership: Leadership, { clock, log }: { clock: Clock; log: Logger }) {
    this.#api = api;
    this.#leadership = {
      namespace: 'kube-system',
      name: 'kube-controller-manager',
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2_000,
      ...leadership,
    };
    this.#clock = clock;
    this.#log = log;
  }

  get identity(): string {
    return this.#leadership.identity;
  }

  /** True if another process held the lease when it was last read. */
  get isStandby(): boolean {
    return (this.#holder ?? this.identity) !== this.identity;
  }

  /**
   * True while no other process can have taken the lease, by the local clock: a process that stood still finds out before it hears from the
   * server.
   */
  get isHeld(): boolean {
    return this.#clock.monotonic() < this.#heldUntil;
  }

  start(events: LeadershipEvents): void {
    this.#running ??= this.#run(events).catch((error: unknown) => {
      if (!this.#ending.signal.aborted) throw error;
    });
  }

  /** Calls `end` to stop the leader's work, then releases the lease, so that another process can lead without waiting for its expiry. */
  async stop(end?: () => Promise<void>): Promise<void> {
    this.#ending.abort();
    await this.#running;
    await end?.();
    this.#heldUntil = -Infinity;
    if (this.#lease?.spec?.holderIdentity !== this.#leadership.identity) return;
    const time = formatMicroTime(this.#clock.now());
    const released = {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: this.#lease.spec.leaseTransitions ?? 0,
    };
    await this.#write(this.#lease, released, this.#timeout()).catch((error: unknown) =>
      this.#log.info('the lease was not released', { error: String(error) }),
    );
  }

  async #run(events: LeadershipEvents): Promise<void> {
    const { signal } = this.#ending;
    const { identity, retryPeriodMs, renewDeadlineMs } = this.#leadership;
    while (!(await this.#acquireOrRenew(renewDeadlineMs)))
      await this.#clock.sleep(Math.min(jittered(retryPeriodMs), this.#expiresInMs()), signal);
    this.#log.info('leading', { identity });
    if (this.#lease !== undefined) events.started(this.#lease);
    let deadline = this.#clock.monotonic() + renewDeadlineMs;
    for (let left = renewDeadlineMs; left > 0; left = deadline - this.#clock.monotonic()) {
      await this.#clock.sleep(Math.min(retryPeriodMs, left), signal);
      if (await this.#acquireOrRenew(deadline - this.#clock.monotonic()))
        deadline = this.#clock.monotonic() + renewDeadlineMs;
    }
    this.#heldUntil = -Infinity;
    this.#log.warn('the lease could not be renewed: leadership ended', { identity });
    events.lost();
  }

  async #acquireOrRenew(withinMs: number): Promise<boolean> {
    try {
      return await this.#tryOnce(this.#timeout(withinMs));
    } catch (error) {
      // If another process was faster, the next attempt sees its lease.
      const expected = isReason(error, 'Conflict') || isReason(error, 'AlreadyExists');
      if (!expected) this.#log.info('the lease could not be read or written', { error: String(error) });
      return false;
    }
  }

  async #tryOnce(timeoutMs: number): Promise<boolean> {
    const { identity, leaseDurationMs } = this.#leadership;
    const now = this.#clock.monotonic();
    const lease = await this.#read(timeoutMs);
    const version = lease?.metadata.resourceVersion ?? '';
    const durationMs = durationOf(lease, leaseDurationMs);
    if (this.#observed?.version !== version) this.#observed = { version, at: now, durationMs };
    const holder = lease?.spec?.holderIdentity ?? '';
    this.#holder = holder;
    const mine = holder === identity;
    if (holder !== '' && !mine && this.#observed.at + durationMs > now) return false;
    const time = formatMicroTime(this.#clock.now());
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
      acquireTime: mine ? (lease?.spec?.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: mine || lease === undefined ? transitions : transitions + 1,
    };
    const sent = this.#clock.monotonic();
    await this.#write(lease, spec, timeoutMs);
    this.#heldUntil = sent + leaseDurationMs;
    this.#holder = identity;
    return true;
  }

  async #read(timeoutMs: number): Promise<Lease | undefined> {
    const path = `${this.#collection}/${this.#leadership.name}`;
    try {
      return await this.#api.json<Lease>({ path, timeoutMs });
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #write(lease: Lease | undefined, spec: LeaseSpec, timeoutMs: number): Promise<void> {
    const { namespace, name } = this.#leadership;
    const body = { ...lease, apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec };
    this.#lease = await (lease === undefined
      ? this.#api.json<Lease>({
          method: 'POST',
          path: this.#collection,
          body: { ...body, metadata: { namespace, name } },
          timeoutMs,
        })
      : this.#api.json<Lease>({ method: 'PUT', path: `${this.#collection}/${name}`, body, timeoutMs }));
    this.#observed = {
      version: this.#lease.metadata.resourceVersion ?? '',
      at: this.#clock.monotonic(),
      durationMs: durationOf(this.#lease, this.#leadership.leaseDurationMs),
    };
  }

  /** The time until the observed lease of another process expires. `Infinity` if it has expired: attempts have failed since. */
  #expiresInMs(): number {
    if (this.#observed === undefined || !this.isStandby) return Infinity;
    const left = this.#observed.at + this.#observed.durationMs - this.#clock.monotonic();
    return left > 0 ? Math.max(shortestWaitMs, left) : Infinity;
  }

  /** Half of the renew deadline: one request that hangs must not end leadership. */
  #timeout(withinMs = Infinity): number {
    const half = this.#leadership.renewDeadlineMs / 2;
    return Math.ceil(Math.max(shortestRequestMs, Math.min(half, withinMs)));
  }

  get #collection(): string {
    return `/apis/coordination.k8s.io/v1/namespaces/${this.#leadership.namespace}/leases`;
  }
}

const durationOf = (lease: Lease | undefined, otherwise: number): number =>
  lease?.spec?.leaseDurationSeconds === undefined ? otherwise : lease.spec.leaseDurationSeconds * 1000;

// Candidates that start together must not send requests together.
const jittered = (ms: number): number => ms * (1 + 1.2 * Math.random());
