import { type Client, Informer } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import type { KnownObject, KnownObjects } from '@annex/server';

/** Which objects of the API server are followed. */
export interface FollowedOptions {
  /** What they are, in the words of who is told that they cannot be followed. */
  what: string;
  /** Where they are listed and watched. */
  path: string;
  /** What their keys begin with. */
  prefix: string;
  log: Logger;
  /** Called after each change, and when they are known. */
  changed?: () => void;
}

type Entry = { value: KnownObject };

const rightsHint = '; the user of the kubeconfig must get, list and watch them';

/** How long who needs them waits until they are known. */
const patienceMs = 1_000;

/** All objects of a resource of the API server, which informs of its changes. */
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

  /** Begins; what is there is known some time later. */
  start(): void {
    void this.#informer.start().then(() => this.#becomeKnown());
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  get isKnown(): boolean {
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

  /** Throws where they do not become known within a second. */
  async waitFor(): Promise<void> {
    if (!(await this.becomesKnown(patienceMs))) {
      throw new Error(`${this.#options.what} not yet synced to use for admission`);
    }
  }

  /** Whether they are known within that time. */
  async becomesKnown(withinMs: number): Promise<boolean> {
    if (this.isKnown) return true;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, withinMs);
    await Promise.race([this.#known.promise, late.promise]);
    clearTimeout(timer);
    return this.isKnown;
  }

  #keyOf({ metadata: { namespace, name = '' } }: KubeObject): string {
    return `${this.#options.prefix}${namespace ? `${namespace}/` : ''}${name}`;
  }

  #changed(): void {
    this.#sorted = undefined;
    if (this.isKnown) this.#options.changed?.();
  }

  #becomeKnown(): void {
    this.revision = 1;
    this.#known.resolve();
    this.#options.changed?.();
  }

  #failed(error: unknown): void {
    const { what, log } = this.#options;
    // An older API server may not have the kind: then there is none.
    if (!this.isKnown && isReason(error, 'NotFound')) this.#becomeKnown();
    const message = error instanceof Error ? error.message : String(error);
    // It is tried again and again: the log is told once.
    if (message === this.#error) return;
    this.#error = message;
    const hint = isReason(error, 'Forbidden') ? rightsHint : '';
    log.warn(`cannot follow ${what} of the API server${hint}`, { error });
  }
}

/** Who manages which fields is asked by nobody here. */
const withoutManagers = (object: KubeObject): KubeObject => {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
};
