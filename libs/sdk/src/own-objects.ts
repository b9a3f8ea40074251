import { deepCopy, type KubeObject } from '@annex/machinery';
import type { ResourceKind } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';
import type { OwnObjects, Resource } from './resource-definition.ts';

/** The stored objects of the added resources. */
export class AddedResources implements OwnObjects {
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
