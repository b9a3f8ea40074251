import type { Client } from '@annex/client';
import type { Logger } from '@annex/runtime';
import { type ParamKind, type ParamSource, unknownParamKind } from '@annex/admission';
import { FollowedObjects } from './followed-objects.ts';

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

interface HostParamSource extends ParamSource {
  objects(): FollowedObjects;
}

/** Milliseconds for which a missing kind is cached. */
const absentCachedMs = 1_000;

/** Follows the parameters of policies: objects of any kind that the API server serves. */
export class HostParams {
  readonly #client: Client;
  readonly #log: Logger;
  readonly #sources = new Map<string, Promise<HostParamSource>>();

  constructor(client: Client, log: Logger) {
    this.#client = client;
    this.#log = log;
  }

  /** Follows the objects of these kinds, and stops following all others. */
  follow(kinds: readonly ParamKind[]): void {
    const paramKind = new Set(kinds.map(keyOf));
    for (const key of this.#sources.keys()) if (!paramKind.has(key)) void this.#forget(key);
    for (const kind of kinds) void this.find(kind).catch(() => undefined);
  }

  /** Returns the objects of a kind. Throws if no such kind is served. */
  find(kind: ParamKind): Promise<ParamSource> {
    const key = keyOf(kind);
    let source = this.#sources.get(key);
    if (source === undefined) {
      const begun = this.#begin(kind);
      const retry = () => {
        if (this.#sources.get(key) === begun) this.#sources.delete(key);
      };
      begun.catch(() => setTimeout(retry, absentCachedMs).unref());
      this.#sources.set(key, (source = begun));
    }
    return source;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sources.keys()].map((key) => this.#forget(key)));
  }

  async #begin(paramKind: ParamKind): Promise<HostParamSource> {
    const { apiVersion, kind } = paramKind;
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const { resources } = await this.#client
      .json<ResourceList>({ path: root, timeoutMs: 10_000 })
      .catch((): ResourceList => ({ resources: [] }));
    const found = resources.find((one) => one.kind === kind && !one.name.includes('/'));
    if (found === undefined) throw unknownParamKind(paramKind);
    const objects = new FollowedObjects(this.#client, {
      what: `paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${kind},}\``,
      path: `${root}/${found.name}`,
      prefix: '',
      log: this.#log,
    });
    objects.start();
    return {
      prefix: '',
      namespaced: found.namespaced,
      objects: () => objects,
      // Items of a list omit their type.
      show: ({ object }) => ({ ...object, apiVersion, kind }),
    };
  }

  async #forget(key: string): Promise<void> {
    const source = this.#sources.get(key);
    this.#sources.delete(key);
    await source?.then(
      ({ objects }) => objects().stop(),
      () => undefined,
    );
  }
}

const keyOf = ({ apiVersion, kind }: ParamKind): string => `${apiVersion}/${kind}`;
