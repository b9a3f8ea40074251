import { deepCopy, groupVersion, parseGroupVersion } from '@annex/machinery';
import type { KnownObject, ServerDeps } from '@annex/server';
import { builtinKinds } from '@annex/kinds';
import { type ParamSource, unknownParamKind } from './params.ts';
import type { ParamKind } from './policy-spec.ts';

const crdPrefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/';

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
    const found = this.#builtin.get(`${apiVersion}/${kind}`) ?? (await this.#custom(apiVersion, kind));
    if (found === undefined) throw unknownParamKind(paramKind);
    return found;
  }

  async #custom(apiVersion: string, kind: string): Promise<ParamSource | undefined> {
    const { group, version } = parseGroupVersion(apiVersion);
    const cache = this.#feed.objects(crdPrefix);
    await cache.waitFor(0);
    for (const { value } of cache.list(crdPrefix).entries) {
      const { spec } = value.object as unknown as Definition;
      const served = spec.versions.some((one) => one.name === version && one.served);
      if (spec.group !== group || spec.names.kind !== kind || !served) continue;
      const prefix = `/registry/${group}/${spec.names.plural}/`;
      return {
        prefix,
        namespaced: spec.scope === 'Namespaced',
        objects: () => this.#feed.objects(prefix),
        // Objects of kinds with a conversion webhook are not converted; only their apiVersion is set.
        show: ({ object }) => ({ ...object, apiVersion }),
      };
    }
    return undefined;
  }
}

interface Definition {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; served: boolean }[];
  };
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
