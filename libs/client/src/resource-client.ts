import { isReason, type KubeObject, stringifyJson } from '@annex/machinery';
import type { Client } from './client.ts';
import type { WatchEvent, WatchOptions } from './watch.ts';

/** Where the objects of one resource are. */
export interface ResourceAddress {
  /** `v1`, `apps/v1`, `shop.example.com/v1`. */
  apiVersion: string;
  /** The plural: `configmaps`. */
  resource: string;
  /** The kind, for objects that are sent without one. */
  kind?: string;
  /** Left out for a resource without namespaces, and to read those of all namespaces. */
  namespace?: string;
}

/** Which objects are meant: those for which both selectors hold. */
export interface Selection {
  /** `app=web,tier in (front, back)`. */
  labelSelector?: string;
  /** `metadata.name=mine`. */
  fieldSelector?: string;
}

/** What a patch is written in; `merge` is understood for every kind. */
export type PatchType = 'merge' | 'json' | 'strategic';

const patchTypes: Readonly<Record<PatchType, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

interface List<T> {
  metadata: { resourceVersion: string };
  items: T[];
}

/**
 * Reads and writes the objects of one resource, with their type. Every refusal of the server is thrown as a StatusError.
 *
 * @example
 * const configMaps = new ResourceClient<ConfigMap>(client, { apiVersion: 'v1', resource: 'configmaps', namespace: 'default' });
 * await configMaps.patch('settings', { data: { color: 'red' } });
 *
 * @typeParam T what is answered
 * @typeParam I what may be sent: fields with a default can be left out
 */
export class ResourceClient<T extends KubeObject = KubeObject, I = T> {
  readonly address: ResourceAddress;
  readonly #client: Client;

  constructor(client: Client, address: ResourceAddress) {
    this.#client = client;
    this.address = address;
  }

  /** The same resource in another namespace; without one, in all. */
  in(namespace: string | undefined): ResourceClient<T, I> {
    const { namespace: _, ...rest } = this.address;
    return new ResourceClient(this.#client, { ...rest, ...(namespace === undefined ? {} : { namespace }) });
  }

  /** Reads one object. Throws NotFound where there is none. */
  get(name: string): Promise<T> {
    return this.#client.json<T>({ path: this.#path(name) });
  }

  /** Reads all objects, or those that are selected, at once. */
  async list(selection: Selection = {}): Promise<T[]> {
    return (await this.#list(selection)).items;
  }

  /** Creates an object; `apiVersion` and, where the address names it, `kind` are filled in. */
  create(object: I): Promise<T> {
    return this.#client.json<T>({ method: 'POST', path: this.#path(), body: this.#typed(object) });
  }

  /** Replaces an object that was read, or its `subresource`. Throws Conflict where somebody else was faster. */
  update(object: I, subresource?: string): Promise<T> {
    const path = this.#path((object as KubeObject).metadata.name ?? '', subresource);
    return this.#client.json<T>({ method: 'PUT', path, body: this.#typed(object) });
  }

  /** Changes an object, or its `subresource`: by a merge patch where nothing else is said. */
  patch(name: string, patch: unknown, options: { type?: PatchType; subresource?: string } = {}): Promise<T> {
    return this.#client.json<T>({
      method: 'PATCH',
      path: this.#path(name, options.subresource),
      headers: { 'content-type': patchTypes[options.type ?? 'merge'] },
      body: patch,
    });
  }

  /** Says what a field manager wants of an object (server-side apply); creates it where there is none. */
  apply(object: I, options: { fieldManager: string; force?: boolean; subresource?: string }): Promise<T> {
    const query = new URLSearchParams({ fieldManager: options.fieldManager });
    if (options.force) query.set('force', 'true');
    const path = this.#path((object as KubeObject).metadata.name ?? '', options.subresource);
    return this.#client.json<T>({
      method: 'PATCH',
      path: `${path}?${query}`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: this.#typed(object),
    });
  }

  /** Resolves when the deletion is accepted; finalizers may keep the object for a while: see {@link ResourceClient.waitUntilGone}. */
  async delete(name: string, options: { propagationPolicy?: string } = {}): Promise<void> {
    await this.#client.json({ method: 'DELETE', path: this.#path(name), body: options });
  }

  /** Goes on until the server ends it, or the signal in the options does: see {@link Client.watch}. */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    return this.#client.watch<T>(this.#path(), options);
  }

  /**
   * Resolves to the object as soon as it exists and is as wanted. It is watched, not asked for again and again. Throws an
   * Error that shows the object as it was last seen, when that does not come to pass in time (10 s by default).
   */
  async waitFor(
    name: string,
    wanted: (object: T) => boolean = () => true,
    { timeoutMs = 10_000 } = {},
  ): Promise<T> {
    const isWanted = (object: T | undefined) => object !== undefined && wanted(object);
    return (await this.#follow(name, isWanted, timeoutMs)) as T;
  }

  /** Resolves when a condition of the status of an object has that status (`True` by default), as `kubectl wait` does. */
  waitForCondition(name: string, type: string, { status = 'True', timeoutMs = 10_000 } = {}): Promise<T> {
    return this.waitFor(name, (object) => conditionOf(object, type) === status, { timeoutMs });
  }

  /** Resolves when there is no such object any more. */
  async waitUntilGone(name: string, { timeoutMs = 10_000 } = {}): Promise<void> {
    await this.#follow(name, (object) => object === undefined, timeoutMs);
  }

  async #follow(
    name: string,
    wanted: (object: T | undefined) => boolean,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const signal = AbortSignal.timeout(timeoutMs);
    const fieldSelector = `metadata.name=${name}`;
    let seen: T | undefined;
    while (!signal.aborted) {
      try {
        const { items, metadata } = await this.#list({ fieldSelector }, signal);
        if (wanted((seen = items[0]))) return seen;
        const { resourceVersion } = metadata;
        for await (const { type, object } of this.watch({ fieldSelector, resourceVersion, signal })) {
          if (wanted((seen = type === 'DELETED' ? undefined : object))) return seen;
        }
      } catch (error) {
        // A version that is too old to watch from: list again.
        if (!isReason(error, 'Expired') && !signal.aborted) throw error;
      }
    }
    const { resource } = this.address;
    const last = seen === undefined ? 'it does not exist' : `it is ${stringifyJson(seen)}`;
    throw new Error(`${resource} ${JSON.stringify(name)} was not as wanted within ${timeoutMs} ms: ${last}`);
  }

  #list({ labelSelector, fieldSelector }: Selection, signal?: AbortSignal): Promise<List<T>> {
    const query = new URLSearchParams({
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    });
    return this.#client.json<List<T>>({ path: `${this.#path()}?${query}`, ...(signal ? { signal } : {}) });
  }

  #typed(object: I): unknown {
    const { apiVersion, kind } = this.address;
    return { apiVersion, ...(kind === undefined ? {} : { kind }), ...object };
  }

  #path(name?: string, subresource?: string): string {
    const { apiVersion, namespace, resource } = this.address;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const parts = [
      namespace === undefined ? [] : ['namespaces', namespace],
      resource,
      name ?? [],
      subresource ?? [],
    ];
    return [root, ...parts.flat().map(encodeURIComponent)].join('/');
  }
}

function conditionOf(object: KubeObject, type: string): string | undefined {
  const { conditions } = (object.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return conditions?.find((condition) => condition.type === type)?.status;
}
