import type { ServerDeps } from '@annex/server';
import type { CacheEvent, StoredObject } from '@annex/storage';
import {
  type ApiService,
  type RemoteApiService,
  apiServicesPrefix,
  groupOf,
  isRemote,
} from './api-service.ts';
import { follow } from './follow.ts';

/** A change of one APIService: the old one is absent for a creation, the new one for a deletion. */
export interface ApiServiceChange {
  name: string;
  before?: ApiService;
  after?: ApiService;
}

/** The current APIServices, by name and by group-version. */
export class ApiServices {
  readonly #deps: Pick<ServerDeps, 'feed' | 'log'>;
  readonly #byName = new Map<string, ApiService>();
  readonly #remote = new Map<string, RemoteApiService>();
  readonly #listeners = new Set<(change: ApiServiceChange) => void>();
  readonly #stop = new AbortController();

  constructor(deps: Pick<ServerDeps, 'feed' | 'log'>) {
    this.#deps = deps;
  }

  /** Resolves when all stored APIServices are loaded. */
  start(): Promise<void> {
    return follow(this.#deps, apiServicesPrefix, this.#stop.signal, {
      reset: (entries) => {
        const now = new Map(
          entries.map(({ value }) => [value.object.metadata.name ?? '', value.object as ApiService]),
        );
        for (const name of [...this.#byName.keys()]) if (!now.has(name)) this.#set(name, undefined);
        for (const [name, apiService] of now) this.#set(name, apiService);
      },
      event: (event: CacheEvent<StoredObject>) => {
        const apiService = event.value.object as ApiService;
        this.#set(apiService.metadata.name ?? '', event.type === 'deleted' ? undefined : apiService);
      },
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  get(name: string): ApiService | undefined {
    return this.#byName.get(name);
  }

  all(): Iterable<ApiService> {
    return this.#byName.values();
  }

  /** Returns the APIService that forwards a group-version to an extension API server. */
  remote(group: string, version: string): RemoteApiService | undefined {
    return this.#remote.get(`${group}/${version}`);
  }

  /** True if no group-version is forwarded: requests need no lookup. */
  get allLocal(): boolean {
    return this.#remote.size === 0;
  }

  /** Calls the listener after every change. Returns a function that removes it. */
  onChange(listener: (change: ApiServiceChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #set(name: string, after: ApiService | undefined): void {
    const before = this.#byName.get(name);
    if (before && isRemote(before)) this.#remote.delete(`${groupOf(before)}/${before.spec.version}`);
    if (after === undefined) this.#byName.delete(name);
    else this.#byName.set(name, after);
    if (after && isRemote(after)) this.#remote.set(`${groupOf(after)}/${after.spec.version}`, after);
    for (const listener of this.#listeners) {
      listener({ name, ...(before ? { before } : {}), ...(after ? { after } : {}) });
    }
  }
}
