import { type JsonObject, isObject, parseJson } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { DiscoverySource, GroupDiscovery } from '@annex/server';
import { aggregatedType } from './accept.ts';
import { aggregatorUser } from './extension-discovery.ts';
import type { RemoteAnswer, RemoteRequest } from './sources.ts';

/** How an app of our own in another process is asked what it serves. */
export interface RemoteSourceOptions {
  fetch(request: RemoteRequest): Promise<RemoteAnswer>;
  log: Logger;
  /** How often it is asked without a reason, in milliseconds. Default 10 s. */
  intervalMs?: number;
  /** Calls the listener when the app may serve something else from now on: it is asked at once. */
  refreshOn?(listener: () => void): () => void;
}

/** The discovery of an app in another process: the last known answer, refreshed in the background. */
export interface RemoteSource extends DiscoverySource {
  /** Resolves when the app was asked once, whether it answered or not. */
  start(): Promise<void>;
  stop(): void;
}

const limits = { timeoutMs: 5_000, maxBytes: 64 * 1024 * 1024 };

/** Makes a source of an app that serves discovery and OpenAPI documents of its own at the usual paths. */
export function remoteSource(options: RemoteSourceOptions): RemoteSource {
  return new PolledSource(options);
}

class PolledSource implements RemoteSource {
  readonly #options: RemoteSourceOptions;
  readonly #listeners = new Set<() => void>();
  readonly #etags = new Map<string, string>();
  readonly #parts = new Map<string, GroupDiscovery[]>();
  #hashes = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;
  #end: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(options: RemoteSourceOptions) {
    this.#options = options;
  }

  groups(): GroupDiscovery[] {
    return [...this.#parts.values()].flat();
  }

  openapiPaths(): string[] {
    return [...this.#hashes.keys()];
  }

  openapiHash(path: string): string | undefined {
    return this.#hashes.get(path);
  }

  async openapi(path: string): Promise<JsonObject | undefined> {
    if (!this.#hashes.has(path)) return undefined;
    return this.#object(await this.#get(`/openapi/v3/${path}`, 'application/json'));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): Promise<void> {
    this.#end = this.#options.refreshOn?.(() => void this.#refresh());
    return this.#refresh();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#end?.();
  }

  /** One question at a time; what comes meanwhile leads to one more after it. */
  #refresh(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      clearTimeout(this.#timer);
      try {
        await this.#ask();
      } catch (error) {
        this.#options.log.warn('an app did not say what it serves', { error });
      }
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#refresh(), this.#options.intervalMs ?? 10_000).unref();
  }

  async #ask(): Promise<void> {
    const groupsChanged = (await Promise.all(['/api', '/apis'].map((path) => this.#askGroups(path)))).some(
      Boolean,
    );
    const documentsChanged = await this.#askIndex();
    if (groupsChanged || documentsChanged) for (const listener of this.#listeners) listener();
  }

  async #askGroups(path: string): Promise<boolean> {
    const answer = await this.#get(path, aggregatedType, this.#etags.get(path));
    if (answer.status === 304) return false;
    const document = this.#object(answer);
    this.#parts.set(path, (document?.items ?? []) as unknown as GroupDiscovery[]);
    if (answer.headers.etag) this.#etags.set(path, answer.headers.etag);
    return true;
  }

  async #askIndex(): Promise<boolean> {
    const index = this.#object(await this.#get('/openapi/v3', 'application/json'));
    const paths = isObject(index?.paths) ? index.paths : {};
    const hashes = new Map<string, string>();
    for (const [path, entry] of Object.entries(paths)) {
      const url =
        isObject(entry) && typeof entry.serverRelativeURL === 'string' ? entry.serverRelativeURL : '';
      hashes.set(path, new URLSearchParams(url.split('?')[1]).get('hash') ?? url);
    }
    const before = JSON.stringify([...this.#hashes]);
    this.#hashes = hashes;
    return before !== JSON.stringify([...hashes]);
  }

  #get(path: string, accept: string, etag?: string): Promise<RemoteAnswer> {
    const headers = { accept, ...(etag === undefined ? {} : { 'if-none-match': etag }) };
    return this.#options.fetch({ path, user: aggregatorUser, headers, ...limits });
  }

  #object({ status, body }: RemoteAnswer): JsonObject | undefined {
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`the app answered ${status}`);
    const value = parseJson(body.toString());
    return isObject(value) ? value : undefined;
  }
}
