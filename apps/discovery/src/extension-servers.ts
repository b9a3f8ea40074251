import type { Logger } from '@annex/runtime';
import { type JsonObject, parseJson } from '@annex/machinery';
import type { VersionDiscovery } from '@annex/server';
import { fetchServed, type ServedVersions } from './extension-discovery.ts';
import { fetchOpenApi, openApiPathOf, type ServedDocument } from './extension-openapi.ts';
import {
  type FetchRemote,
  type Registration,
  type Registrations,
  groupOf,
  isAvailable,
  versionKey,
} from './sources.ts';

/** How often extension servers are asked again, in milliseconds. */
export interface RefreshIntervals {
  /** Where the last answer was good. */
  regular: number;
  /** The first pause after a failure; it doubles up to the regular interval. */
  retry: number;
}

const defaultIntervals: RefreshIntervals = { regular: 60_000, retry: 500 };

interface State<R> {
  registration: R;
  /** What decides about the next question: where the server is, and whether it is there. */
  key: string;
  served?: ServedVersions;
  stale: boolean;
  openApi?: ServedDocument | undefined;
  failures: number;
  timer?: NodeJS.Timeout;
}

/** What the servers of registered versions serve, asked in the background: no client waits for a slow one. */
export class ExtensionServers<R extends Registration> {
  readonly #fetch: FetchRemote<R>;
  readonly #registrations: Registrations<R>;
  readonly #log: Logger;
  readonly #intervals: RefreshIntervals;
  readonly #states = new Map<string, State<R>>();
  readonly #listeners = new Set<() => void>();
  #end: (() => void) | undefined;

  constructor(
    deps: { fetch: FetchRemote<R>; registrations: Registrations<R>; log: Logger },
    intervals: RefreshIntervals = defaultIntervals,
  ) {
    this.#fetch = deps.fetch;
    this.#registrations = deps.registrations;
    this.#log = deps.log;
    this.#intervals = intervals;
  }

  start(): void {
    this.#end = this.#registrations.onChange(() => this.#reconcile());
    this.#reconcile();
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

  /** What is known of a version; marked stale where the last question failed. */
  version(registration: Registration): VersionDiscovery | undefined {
    const state = this.#states.get(registration.metadata.name ?? '');
    const { version } = registration.spec;
    const known = state?.served?.versions.get(versionKey(groupOf(registration), version));
    if (state?.served === undefined) return undefined;
    return { version, resources: known?.resources ?? [], freshness: state.stale ? 'Stale' : 'Current' };
  }

  /** The places of the OpenAPI documents of extension servers, with their hashes. */
  openApiHashes(): Map<string, string> {
    const found = new Map<string, string>();
    for (const { registration, openApi } of this.#states.values()) {
      if (openApi !== undefined) found.set(openApiPathOf(registration), openApi.hash);
    }
    return found;
  }

  /** The OpenAPI document of a place, as its server last sent it. */
  openApi(path: string): JsonObject | undefined {
    const state = [...this.#states.values()].find(({ registration }) => openApiPathOf(registration) === path);
    return state?.openApi && (parseJson(state.openApi.bytes.toString()) as JsonObject);
  }

  #reconcile(): void {
    const remote = new Map<string, R>();
    for (const registration of this.#registrations.all()) {
      if (registration.spec.service) remote.set(registration.metadata.name ?? '', registration);
    }
    for (const name of [...this.#states.keys()]) if (!remote.has(name)) this.#drop(name);
    for (const [name, registration] of remote) {
      const key = JSON.stringify([registration.spec, isAvailable(registration)]);
      const state = this.#states.get(name);
      if (state?.key === key) state.registration = registration;
      else this.#begin(name, registration, key);
    }
  }

  #begin(name: string, registration: R, key: string): void {
    const before = this.#states.get(name);
    this.#drop(name);
    // What a server said last is told until it says something else.
    const state: State<R> = { ...before, registration, key, stale: true, failures: 0 };
    this.#states.set(name, state);
    // Availability decides whether a question makes sense; its change leads here again.
    if (isAvailable(registration)) void this.#refresh(name, state);
    else this.#changed();
  }

  #drop(name: string): void {
    clearTimeout(this.#states.get(name)?.timer);
    this.#states.delete(name);
  }

  async #refresh(name: string, state: State<R>): Promise<void> {
    const before = told(state);
    const had = state.served;
    await Promise.all([this.#askServed(name, state), this.#askOpenApi(name, state)]);
    if (this.#states.get(name) !== state) return;
    if (before !== told(state) || had !== state.served) this.#changed();
    const { regular, retry } = this.#intervals;
    const pause = state.failures === 0 ? regular : Math.min(regular, retry * 2 ** (state.failures - 1));
    state.timer = setTimeout(() => void this.#refresh(name, state), pause).unref();
  }

  async #askServed(name: string, state: State<R>): Promise<void> {
    try {
      state.served = (await fetchServed(this.#fetch, state.registration, state.served?.etag)) ?? state.served;
      state.stale = false;
      state.failures = 0;
    } catch (error) {
      state.stale = true;
      state.failures++;
      this.#log.debug('an extension server did not say what it serves', { name, error });
    }
  }

  /** Apart from the question before: who does not say what it serves may well describe it. */
  async #askOpenApi(name: string, state: State<R>): Promise<void> {
    try {
      state.openApi = await fetchOpenApi(this.#fetch, state.registration, state.openApi);
    } catch (error) {
      this.#log.debug('an extension server did not describe its kinds', { name, error });
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** What others see of a state. */
const told = ({ served, stale, openApi }: Omit<State<unknown>, 'registration'>): string =>
  JSON.stringify([served?.etag, stale, openApi?.hash]);
