import { deepCopy, groupVersion } from '@annex/machinery';
import type { KnownObject, ServerDeps } from '@annex/server';
import { builtinKinds } from '@annex/kinds';
import { servedDefinition } from '../served-definition.ts';
import { type ParamSource, unknownParamKind } from './params.ts';
import type { ParamKind } from './policy-spec.ts';

/** Finds parameters of any kind in the store of this server. */
export class StoredParams {
  readonly #feed: ServerDeps['feed'];
  #builtin: Map<string, ParamSource> | undefined;

  constructor(feed: ServerDeps['feed']) {
    this.#feed = feed;
  }

  /** Throws if no kind of that name is served. */
  async find(paramKind: ParamKind): Promise<ParamSource> {
    const { apiVersion, kind } = paramKind;
    this.#builtin ??= builtinSources(this.#feed);
    const found = this.#builtin.get(`${apiVersion}/${kind}`) ?? (await this.#custom(paramKind));
    if (found === undefined) throw unknownParamKind(paramKind);
    return found;
  }

  async #custom(paramKind: ParamKind): Promise<ParamSource | undefined> {
    const found = await servedDefinition(this.#feed, paramKind);
    if (found === undefined) return undefined;
    const prefix = `/registry/${found.group}/${found.resource}/`;
    return {
      prefix,
      namespaced: found.namespaced,
      objects: () => this.#feed.objects(prefix),
      // Objects of kinds with a conversion webhook are not converted; only their apiVersion is set.
      show: ({ object }) => ({ ...object, apiVersion: paramKind.apiVersion }),
    };
  }
}

function builtinSources(feed: ServerDeps['feed']): Map<string, ParamSource> {
  const sources = new Map<string, ParamSource>();
  for (const kind of builtinKinds()) {
    const { storage, namespaced } = kind;
    if (storage === undefined) continue;
    sources.set(`${groupVersion(kind)}/${kind.kind}`, {
      prefix: storage.prefix,
      namespaced,
      objects: () => feed.objects(storage.prefix),
      show: ({ object }: KnownObject) => (storage.identity ? object : storage.fromStored(deepCopy(object))),
    });
  }
  return sources;
}
