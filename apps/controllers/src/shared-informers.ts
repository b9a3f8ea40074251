import {
  type Informer,
  type InformerHandlers,
  type InformerOptions,
  withoutManagedFields,
} from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import type { Api } from './api.ts';

/** A cached copy of a collection that several controllers use. */
export class SharedInformer<T extends KubeObject = KubeObject> {
  readonly #informer: Informer<T>;
  readonly #listeners: InformerHandlers<T>[] = [];
  #synced: Promise<void> | undefined;

  constructor(api: Api, path: string, options: InformerOptions<T>) {
    const tell = <K extends 'added' | 'modified' | 'deleted'>(what: K, ...notified: [T, T?]) => {
      for (const listener of this.#listeners)
        (listener[what] as ((...notified: [T, T?]) => void) | undefined)?.(...notified);
    };
    this.#informer = api.informer<T>(
      path,
      {
        added: (object) => tell('added', object),
        modified: (object, previous) => tell('modified', object, previous),
        deleted: (object) => tell('deleted', object),
      },
      options,
    );
  }

  /** Adds handlers. Call it before the informers start. */
  listen(handlers: InformerHandlers<T>): void {
    this.#listeners.push(handlers);
  }

  /** Returns an object by `namespace/name`, or by the name of a cluster-scoped object. */
  get(key: string): T | undefined {
    return this.#informer.get(key);
  }

  list(): T[] {
    return this.#informer.list();
  }

  /** Starts the informer; resolves when all listeners have received the first list. */
  start(): Promise<void> {
    return (this.#synced ??= this.#informer.start());
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }
}

/** Creates one informer for each collection. */
export class SharedInformers {
  readonly #api: Api;
  readonly #informers = new Map<string, SharedInformer>();

  constructor(api: Api) {
    this.#api = api;
  }

  of<T extends KubeObject>(
    path: string,
    options: { fieldSelector?: string; metadataOnly?: true } = {},
  ): SharedInformer<T> {
    const key = `${path}?${options.fieldSelector ?? ''}#${options.metadataOnly ?? false}`;
    let informer = this.#informers.get(key);
    if (informer === undefined) {
      informer = new SharedInformer(this.#api, path, { ...options, keep: withoutManagedFields });
      this.#informers.set(key, informer);
    }
    return informer as unknown as SharedInformer<T>;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }
}
