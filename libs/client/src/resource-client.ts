import { isReason, type KubeObject, stringifyJson } from '@annex/machinery';
import type { Client } from './client.ts';
import type { WatchEvent, WatchOptions } from './watch.ts';

/** The API path of the objects of one resource. */
export interface ResourceAddress {
  /** `v1`, `apps/v1`, `shop.example.com/v1`. */
  apiVersion: string;
  /** The plural: `configmaps`. */
  resource: string;
  /** The kind of objects that are sent without one. */
  kind?: string;
  /** Absent for a resource without namespaces, and to read the objects of all namespaces. */
  namespace?: string;
}

/** Selects objects that match both selectors. */
export interface Selection {
  /** `app=web,tier in (front, back)`. */
  labelSelector?: string;
  /** `metadata.name=mine`. */
  fieldSelector?: string;
}

/** The format of a patch; every kind supports `merge`. */
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
 * Reads and writes the objects of one resource with their types. Every error response of the server is thrown
 * as a StatusError.
 *
 * @example
 * const configMaps = new ResourceClient<ConfigMap>(client, { apiVersion: 'v1', resource: 'configmaps',
 * namespace: 'default' });
 * await configMaps.patch('settings', { data: { color: 'red' } });
 *
 * @typeParam T the type of responses
 * @typeParam I the type of request bodies: fields with a default are optional
 */
export class ResourceClient<T extends KubeObject = KubeObject, I = T> {
  readonly address: ResourceAddress;
  readonly #client: Client;

  constructor(client: Client, address: ResourceAddress) {
    this.#client = client;
    this.address = address;
  }

  /** Returns a client of the same resource in another namespace; without an argument, in all. */
  in(namespace: string | undefined): ResourceClient<T, I> {
    const { namespace: _, ...rest } = this.address;
    return new ResourceClient(this.#client, { ...rest, ...(namespace === undefined ? {} : { namespace }) });
  }

  /** Reads one object. Throws NotFound if it does not exist. */
  get(name: string): Promise<T> {
    return this.#client.json<T>({ path: this.#path(name) });
  }

  /** Reads all objects, or the selected ones, in one request. */
  async list(selection: Selection = {}): Promise<T[]> {
    return (await this.#list(selection)).items;
  }

  /** Creates an object; adds `apiVersion` and, if the address has it, `kind`. */
  create(object: I): Promise<T> {
    return this.#client.json<T>({ method: 'POST', path: this.#path(), body: this.#typed(object) });
  }

  /** Replaces an object that was read, or its `subresource`. Throws Conflict after a concurrent write. */
  update(object: I, subresource?: string): Promise<T> {
    const path = this.#path((object as KubeObject).metadata.name ?? '', subresource);
    return this.#client.json<T>({ method: 'PUT', path, body: this.#typed(object) });
  }

  /** Patches an object, or its `subresource`; default: a merge patch. */
  patch(name: string, patch: unknown, options: { type?: PatchType; subresource?: string } = {}): Promise<T> {
    return this.#client.json<T>({
      method: 'PATCH',
      path: this.#path(name, options.subresource),
      headers: { 'content-type': patchTypes[options.type ?? 'merge'] },
      body: patch,
    });
  }

  /** Applies the fields of a field manager (server-side apply); creates the object if it does not exist. */
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

  /**
   * Resolves when the deletion is accepted; finalizers may delay it: see
   * {@link ResourceClient.waitUntilGone}.
   */
  async delete(name: string, options: { propagationPolicy?: string } = {}): Promise<void> {
    await this.#client.json({ method: 'DELETE', path: this.#path(name), body: options });
  }

  /** Watches until the server or the signal in the options ends it: see {@link Client.watch}. */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    return this.#client.watch<T>(this.#path(), options);
  }

  /**
   * Resolves to the object as soon as it exists and the predicate returns true. It watches instead of
   * polling. Throws an Error with the last state of the object after the timeout (10 s by default).
   */
  async waitFor(
    name: string,
    matches: (object: T) => boolean = () => true,
    { timeoutMs = 10_000 } = {},
  ): Promise<T> {
    const existsAndMatches = (object: T | undefined) => object !== undefined && matches(object);
    return (await this.#follow(name, existsAndMatches, timeoutMs)) as T;
  }

  /**
   * Resolves when a condition of the object's status has that status (`True` by default), like `kubectl
   * wait`.
   */
  waitForCondition(name: string, type: string, { status = 'True', timeoutMs = 10_000 } = {}): Promise<T> {
    return this.waitFor(name, (object) => conditionOf(object, type) === status, { timeoutMs });
  }

  /** Resolves when the object does not exist. */
  async waitUntilGone(name: string, { timeoutMs = 10_000 } = {}): Promise<void> {
    await this.#follow(name, (object) => object === undefined, timeoutMs);
  }

  async #follow(
    name: string,
    matches: (object: T | undefined) => boolean,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const signal = AbortSignal.timeout(timeoutMs);
    const fieldSelector = `metadata.name=${name}`;
    let seen: T | undefined;
    while (!signal.aborted) {
      try {
        const { items, metadata } = await this.#list({ fieldSelector }, signal);
        if (matches((seen = items[0]))) return seen;
        const { resourceVersion } = metadata;
        for await (const { type, object } of this.watch({ fieldSelector, resourceVersion, signal })) {
          if (matches((seen = type === 'DELETED' ? undefined : object))) return seen;
        }
      } catch (error) {
        // The version is too old to watch from: list again.
        if (!isReason(error, 'Expired') && !signal.aborted) throw error;
      }
    }
    const { resource } = this.address;
    const last = seen === undefined ? 'it does not exist' : `it is ${stringifyJson(seen)}`;
    throw new Error(
      `${resource} ${JSON.stringify(name)} did not reach the expected state within ${timeoutMs} ms: ${last}`,
    );
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
