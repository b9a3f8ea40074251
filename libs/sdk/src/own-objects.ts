import { deepCopy, type KubeObject } from '@annex/machinery';
import type { ResourceKind } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';
import type { Resource } from './define-resource.ts';

/** Reads what the server itself stores: no request is made, and nobody is asked for rights. Never change what is answered. */
export interface OwnObjects {
  /** All objects of a resource, of one namespace or of all, as of now. */
  list<T extends KubeObject>(resource: Resource<T>, namespace?: string): Promise<T[]>;
  /** One object; `undefined` where there is none. */
  get<T extends KubeObject>(resource: Resource<T>, name: string, namespace?: string): Promise<T | undefined>;
}

/** The objects of resources that are made known one by one. */
export class StoredByUs implements OwnObjects {
  readonly #deps: ServerDeps;
  readonly #kinds = new Map<unknown, ResourceKind>();

  constructor(deps: ServerDeps) {
    this.#deps = deps;
  }

  add(definition: object, kind: ResourceKind): void {
    this.#kinds.set(definition, kind);
  }

  async list<T extends KubeObject>(resource: Resource<T>, namespace = ''): Promise<T[]> {
    const { cache, prefix, show } = this.#open(resource);
    await cache.waitFor();
    const { entries } = cache.list(namespace === '' ? prefix : `${prefix}${namespace}/`);
    return (await Promise.all(entries.map(({ value }) => show(value.object)))) as T[];
  }

  async get<T extends KubeObject>(
    resource: Resource<T>,
    name: string,
    namespace?: string,
  ): Promise<T | undefined> {
    const { cache, prefix, show } = this.#open(resource);
    await cache.waitFor();
    const stored = cache.get(prefix + (namespace === undefined ? name : `${namespace}/${name}`))?.value;
    return stored && ((await show(stored.object)) as T);
  }

  #open(resource: Resource) {
    const storage = this.#kinds.get(resource)?.storage;
    if (storage === undefined) throw new Error(`${resource.plural} ${resource.version} is not served here`);
    const { prefix } = storage;
    const show = (object: KubeObject) => (storage.identity ? object : storage.fromStored(deepCopy(object)));
    return { cache: this.#deps.feed.objects(prefix), prefix, show };
  }
}
