import { deepEqual } from '@annex/machinery';
import {
  type ApiService,
  type ApiServiceCondition,
  type ApiServices,
  availableCondition,
  follow,
  isRemote,
  localCondition,
  resolverPrefixes,
} from '@annex/aggregation';
import { type ServerDeps, StoredObjects } from '@annex/server';
import { ownedStatus, type ResourceKind } from '@annex/kinds';
import type { CacheEvent, StoredObject } from '@annex/storage';
import { type Counter, createPacer, type Gauge } from '@annex/runtime';
import { type Availability, type AvailabilityCheckDeps, checkAvailable } from './availability-check.ts';

/** Intervals in milliseconds between checks of a backend if nothing changed here. */
export interface AvailabilityIntervals {
  available: number;
  unavailable: number;
}

const defaultIntervals: AvailabilityIntervals = { available: 30_000, unavailable: 1_000 };

/** Updates the Available condition of every APIService with a service by checking the service. */
export class AvailabilityController {
  readonly #deps: ServerDeps & AvailabilityCheckDeps;
  readonly #apiServices: ApiServices;
  readonly #objects: StoredObjects;
  readonly #intervals: AvailabilityIntervals;
  readonly #stop = new AbortController();
  /** Running checks; `again` if something changed since the check began. */
  readonly #running = new Map<string, { again: boolean }>();
  /** Checks that begin soon. */
  readonly #due = new Set<string>();
  #isBeginning = false;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #unavailable: Gauge<'name'>;
  readonly #breakdowns: Counter<'name' | 'reason'>;

  constructor(
    deps: ServerDeps & AvailabilityCheckDeps,
    apiServices: ApiServices,
    kind: ResourceKind,
    intervals: AvailabilityIntervals = defaultIntervals,
  ) {
    this.#deps = deps;
    this.#apiServices = apiServices;
    this.#objects = new StoredObjects(deps, kind);
    this.#intervals = intervals;
    this.#unavailable = deps.metrics.gauge(
      'aggregator_unavailable_apiservice',
      '1 for each APIService whose server does not serve.',
      ['name'],
    );
    this.#breakdowns = deps.metrics.counter(
      'aggregator_unavailable_apiservice_total',
      'How often an APIService became unavailable, by reason.',
      ['name', 'reason'],
    );
  }

  /** Begins the checks; the first results come later. Requires started APIServices. */
  async start(): Promise<void> {
    const { signal } = this.#stop;
    const end = this.#apiServices.onChange(({ name, before, after }) => {
      // Status writes of this controller do not need another check.
      if (after === undefined) this.#forget(name);
      else if (!before || !deepEqual(before.spec, after.spec)) this.#check(name);
    });
    signal.addEventListener('abort', end, { once: true });
    // A check with incomplete caches would report existing services as missing.
    await Promise.all(resolverPrefixes.map((prefix) => this.#deps.feed.objects(prefix).waitFor()));
    await Promise.all(
      resolverPrefixes.map((prefix) =>
        follow(this.#deps, prefix, signal, {
          reset: () => this.#checkAll(),
          event: (event) => this.#backendChanged(event),
        }),
      ),
    );
  }

  stop(): void {
    this.#stop.abort();
    for (const name of [...this.#timers.keys()]) this.#forget(name);
  }

  /** Checks an APIService now, when a request did not reach its server: the next regular check may be far off. */
  checkNow(name: string): void {
    this.#check(name);
  }

  #checkAll(): void {
    for (const apiService of this.#apiServices.all()) this.#check(apiService.metadata.name ?? '');
  }

  #backendChanged(event: CacheEvent<StoredObject>): void {
    if (this.#apiServices.allLocal) return;
    const { name = '', namespace, labels } = event.value.object.metadata;
    const service = labels?.['kubernetes.io/service-name'] ?? name;
    for (const apiService of this.#apiServices.all()) {
      const reference = apiService.spec.service;
      if (reference?.name === service && reference.namespace === namespace) {
        this.#check(apiService.metadata.name ?? '');
      }
    }
  }

  #forget(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    this.#unavailable.set({ name }, 0);
    this.#deps.transports.forget(name);
  }

  #check(name: string): void {
    this.#due.add(name);
    if (!this.#isBeginning) void this.#beginDue();
  }

  /** Thousands of APIServices can be due in one turn of the event loop: their checks begin in slices. */
  async #beginDue(): Promise<void> {
    this.#isBeginning = true;
    const pace = createPacer();
    for (const name of this.#due) {
      this.#due.delete(name);
      this.#begin(name);
      // The checks that have begun go on, also without a pause.
      await pace();
    }
    this.#isBeginning = false;
  }

  #begin(name: string): void {
    const running = this.#running.get(name);
    if (running) {
      running.again = true;
      return;
    }
    const apiService = this.#apiServices.get(name);
    if (this.#stop.signal.aborted || apiService === undefined || settled(apiService)) return;
    clearTimeout(this.#timers.get(name));
    const state = { again: false };
    this.#running.set(name, state);
    void this.#run(name, apiService).finally(() => {
      this.#running.delete(name);
      if (state.again) this.#check(name);
    });
  }

  async #run(name: string, apiService: ApiService): Promise<void> {
    let next = this.#intervals.unavailable;
    try {
      const found = isRemote(apiService) ? await checkAvailable(apiService, this.#deps) : local;
      if (found.status === 'True') next = this.#intervals.available;
      this.#measure(name, apiService, found);
      await this.#write(name, apiService, found);
    } catch (error) {
      this.#deps.log.warn('the availability of an APIService could not be recorded', { name, error });
    }
    if (this.#stop.signal.aborted || this.#apiServices.get(name) === undefined) return;
    clearTimeout(this.#timers.get(name));
    this.#timers.set(name, setTimeout(() => this.#check(name), next).unref());
  }

  #measure(name: string, before: ApiService, { status, reason = '' }: Availability): void {
    this.#unavailable.set({ name }, status === 'True' ? 0 : 1);
    if (status !== 'True' && availableCondition(before)?.status === 'True')
      this.#breakdowns.inc({ name, reason });
  }

  /** Records the result of a check. Results for an older spec are dropped, because another check follows. */
  async #write(name: string, checked: ApiService, found: Availability): Promise<void> {
    for (;;) {
      const current = await this.#objects.read('', name);
      if (current === undefined || !deepEqual((current.object as ApiService).spec, checked.spec)) return;
      const updated = withCondition(current.object as ApiService, found, this.#now());
      if (updated === undefined) return;
      const owner = { manager: 'kube-apiserver', now: this.#deps.clock.now() };
      const owned = ownedStatus(current.object, updated, owner);
      if ((await this.#objects.update(current, owned)) !== undefined) return;
    }
  }

  #now(): string {
    return `${new Date(this.#deps.clock.now()).toISOString().slice(0, 19)}Z`;
  }
}

const local = localCondition('') as Availability;

/** True for local APIServices with an up-to-date condition: they need no further checks. */
const settled = (apiService: ApiService): boolean =>
  !isRemote(apiService) && availableCondition(apiService)?.reason === local.reason;

/** Returns the APIService with a new Available condition; `undefined` if the condition is the same. */
export function withCondition(
  apiService: ApiService,
  found: Availability,
  now: string,
): ApiService | undefined {
  const before = availableCondition(apiService);
  if (before?.status === found.status && before.reason === found.reason && before.message === found.message) {
    return undefined;
  }
  const lastTransitionTime = before?.status === found.status ? before.lastTransitionTime : now;
  const { status, reason, message } = found;
  const condition = {
    type: 'Available',
    status,
    lastTransitionTime: lastTransitionTime ?? now,
    reason,
    message,
  };
  const others = apiService.status?.conditions?.filter(({ type }) => type !== 'Available') ?? [];
  return {
    ...apiService,
    status: { ...apiService.status, conditions: [...others, condition as ApiServiceCondition] },
  };
}
