import { type Client, Informer } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { KnownObject, KnownObjects } from '@annex/server';

/** The objects of the API server to follow. */
export interface FollowedOptions {
  /** The name of the objects in error messages. */
  what: string;
  /** The path of their list and watch. */
  path: string;
  /** The prefix of their keys. */
  prefix: string;
  log: Logger;
  /** Called after each change, and when the first list is complete. */
  changed?: () => void;
}

type Entry = { value: KnownObject };

const rightsHint = '; the user of the kubeconfig must get, list and watch them';

/** Milliseconds that a reader waits for the first list. */
const waitMs = 1_000;

/** All objects of a resource of the API server, which sends their changes. */
export class FollowedObjects implements KnownObjects {
  readonly #options: FollowedOptions;
  readonly #informer: Informer;
  readonly #known = Promise.withResolvers<void>();
  readonly #entries = new Map<string, Entry>();
  #sorted: readonly string[] | undefined;
  #error = '';
  revision = 0;

  constructor(client: Client, options: FollowedOptions) {
    this.#options = options;
    const put = (object: KubeObject) => {
      this.#entries.set(this.#keyOf(object), { value: { object } });
      this.#changed();
    };
    const deleted = (object: KubeObject) => {
      this.#entries.delete(this.#keyOf(object));
      this.#changed();
    };
    const failed = (error: unknown) => this.#failed(error);
    this.#informer = new Informer(
      client,
      options.path,
      { added: put, modified: put, deleted, failed },
      { keep: withoutManagers },
    );
  }

  /** Begins to follow; does not wait for the first list. */
  start(): void {
    void this.#informer.start().then(() => this.#markLoaded());
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  get isLoaded(): boolean {
    return this.revision > 0;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  list(prefix: string): { entries: readonly Entry[] } {
    this.#sorted ??= [...this.#entries.keys()].sort();
    const keys = this.#sorted.filter((key) => key.startsWith(prefix));
    return { entries: keys.map((key) => this.#entries.get(key) as Entry) };
  }

  /** Throws if the first list is not complete within a second. */
  async waitFor(): Promise<void> {
    if (!(await this.loadsWithin(waitMs))) {
      throw new Error(`${this.#options.what} not yet synced to use for admission`);
    }
  }

  /** Returns whether the first list is complete within that time. */
  async loadsWithin(withinMs: number): Promise<boolean> {
    if (this.isLoaded) return true;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, withinMs);
    await Promise.race([this.#known.promise, late.promise]);
    clearTimeout(timer);
    return this.isLoaded;
  }

  #keyOf({ metadata: { namespace, name = '' } }: KubeObject): string {
    return `${this.#options.prefix}${namespace ? `${namespace}/` : ''}${name}`;
  }

  #changed(): void {
    this.#sorted = undefined;
    if (this.isLoaded) this.#options.changed?.();
  }

  #markLoaded(): void {
    this.revision = 1;
    this.#known.resolve();
    this.#options.changed?.();
  }

  #failed(error: unknown): void {
    const { what, log } = this.#options;
    // An older API server may not have the kind: then there are no objects.
    if (!this.isLoaded && isReason(error, 'NotFound')) this.#markLoaded();
    const message = error instanceof Error ? error.message : String(error);
    // Retries continue; the same error is logged once.
    if (message === this.#error) return;
    this.#error = message;
    const hint = isReason(error, 'Forbidden') ? rightsHint : '';
    log.warn(`cannot follow ${what} of the API server${hint}`, { error });
  }
}

/** managedFields are not used here. */
const withoutManagers = (object: KubeObject): KubeObject => {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
};
