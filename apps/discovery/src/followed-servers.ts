import type { Logger } from '@annex/runtime';
import { type Registration, type Registrations, isAvailable } from './sources.ts';

/** Intervals in milliseconds between requests to an extension server. */
export interface RefreshIntervals {
  /** After a successful response. */
  regular: number;
  /** After the first failure; it doubles up to the regular interval. */
  retry: number;
}

const defaultIntervals: RefreshIntervals = { regular: 60_000, retry: 500 };

/** A registered version, and the last result of its server. */
export interface Followed<R extends Registration, T> {
  registration: R;
  known?: T;
  /** True if the last request failed, or none was sent yet. */
  failed: boolean;
}

interface State<R extends Registration, T> extends Followed<R, T> {
  /** Identifies the server and its availability: if the key changes, a new request is sent. */
  key: string;
  failures: number;
  timer?: NodeJS.Timeout;
}

/** Options of the followed servers. */
export interface FollowedOptions<R extends Registration, T> {
  /** The subject of the requests, for the log. */
  subject: string;
  registrations: Registrations<R>;
  log: Logger;
  /** Fetches from a server; resolves to `known` if nothing changed. */
  ask(registration: R, known: T | undefined): Promise<T>;
  intervals?: RefreshIntervals | undefined;
}

/** Fetches documents from the servers of registered versions repeatedly, in the background: clients do not wait for slow servers. */
export class FollowedServers<R extends Registration, T> {
  readonly #options: FollowedOptions<R, T>;
  readonly #intervals: RefreshIntervals;
  readonly #states = new Map<string, State<R, T>>();
  readonly #listeners = new Set<() => void>();
  #end: (() => void) | undefined;

  constructor(options: FollowedOptions<R, T>) {
    this.#options = options;
    this.#intervals = options.intervals ?? defaultIntervals;
  }

  start(): void {
    const { registrations } = this.#options;
    this.#end = registrations.onChange(({ name, after }) => this.#follow(name, after));
    for (const registration of registrations.all()) {
      this.#follow(registration.metadata.name ?? '', registration);
    }
  }

  stop(): void {
    this.#end?.();
    for (const name of [...this.#states.keys()]) this.#drop(name);
  }

  /** Calls the listener after every change; returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get(registration: Registration): Followed<R, T> | undefined {
    return this.#states.get(registration.metadata.name ?? '');
  }

  all(): Iterable<Followed<R, T>> {
    return this.#states.values();
  }

  #follow(name: string, registration: R | undefined): void {
    if (!registration?.spec.service) return this.#drop(name);
    const key = JSON.stringify([registration.spec, isAvailable(registration)]);
    const state = this.#states.get(name);
    if (state?.key === key) state.registration = registration;
    else this.#begin(name, registration, key);
  }

  #begin(name: string, registration: R, key: string): void {
    const before = this.#states.get(name);
    this.#drop(name);
    const available = isAvailable(registration);
    // The last result of a server applies until the next one, or until the server is removed.
    const failed = !available || (before?.failed ?? true);
    const state: State<R, T> = { ...before, registration, key, failed, failures: 0 };
    this.#states.set(name, state);
    // Requests are sent to available servers only; a change of availability calls this function again.
    if (available) void this.#refresh(name, state);
    else this.#changed();
  }

  #drop(name: string): void {
    clearTimeout(this.#states.get(name)?.timer);
    this.#states.delete(name);
  }

  async #refresh(name: string, state: State<R, T>): Promise<void> {
    const { known, failed } = state;
    const { ask, log, subject } = this.#options;
    try {
      const response = await ask(state.registration, known);
      Object.assign(state, { known: response, failed: false, failures: 0 });
    } catch (error) {
      Object.assign(state, { failed: true, failures: state.failures + 1 });
      const level = state.failures === 1 ? 'info' : 'debug';
      log[level](`an extension server did not send its ${subject}`, { name, error });
    }
    if (this.#states.get(name) !== state) return;
    if (known !== state.known || failed !== state.failed) this.#changed();
    const { regular, retry } = this.#intervals;
    const pause = state.failures === 0 ? regular : Math.min(regular, retry * 2 ** (state.failures - 1));
    state.timer = setTimeout(() => void this.#refresh(name, state), pause).unref();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
