import {
  compileLabelSelector,
  deepCopy,
  groupVersion,
  isObject,
  type KubeObject,
  parseGroupVersion,
} from '@annex/machinery';
import type { StoredObject } from '@annex/storage';
import type { ServerDeps } from '../app.ts';
import { builtinKinds } from '../builtin/kinds.ts';
import type { ParamRef, PolicySpec } from './policy-spec.ts';

/** Where the objects of a paramKind are. */
interface ParamSource {
  prefix: string;
  namespaced: boolean;
  show(stored: StoredObject): KubeObject | Promise<KubeObject>;
}

type ParamKind = NonNullable<PolicySpec['paramKind']>;

const crdPrefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/';

/** Finds the parameters of policies, which may be objects of any kind that is stored. */
export class PolicyParams {
  readonly #feed: ServerDeps['feed'];
  #builtin: Map<string, ParamSource> | undefined;

  constructor({ feed }: Pick<ServerDeps, 'feed'>) {
    this.#feed = feed;
  }

  /** Throws where no kind of that name is served. */
  async source({ apiVersion, kind }: ParamKind): Promise<ParamSource> {
    this.#builtin ??= builtinSources();
    const found = this.#builtin.get(`${apiVersion}/${kind}`) ?? (await this.#custom(apiVersion, kind));
    if (found !== undefined) return found;
    const { group, version } = parseGroupVersion(apiVersion);
    const named = `${group === '' ? `/${version}` : `${group}/${version}`}, Kind=${kind}`;
    throw new Error(`failed to find resource referenced by paramKind: '${named}'`);
  }

  async #custom(apiVersion: string, kind: string): Promise<ParamSource | undefined> {
    const { group, version } = parseGroupVersion(apiVersion);
    const cache = this.#feed.objects(crdPrefix);
    await cache.waitFor(0);
    for (const { value } of cache.list(crdPrefix).entries) {
      const { spec } = value.object as unknown as Definition;
      const served = spec.versions.some((one) => one.name === version && one.served);
      if (spec.group !== group || spec.names.kind !== kind || !served) continue;
      return {
        prefix: `/registry/${group}/${spec.names.plural}/`,
        namespaced: spec.scope === 'Namespaced',
        // Kinds with a conversion webhook are shown as they are stored, under the name of the version.
        show: (stored) => ({ ...stored.object, apiVersion }),
      };
    }
    return undefined;
  }

  /**
   * The parameters that a binding refers to: `undefined` stands for evaluation without any. None where they are absent
   * and may be. Throws with kube's text where they may not be, or where the reference cannot be followed.
   */
  async collect(
    source: ParamSource | undefined,
    ref: ParamRef | null | undefined,
    namespace: string,
  ): Promise<(KubeObject | undefined)[]> {
    if (source === undefined || !ref) return [undefined];
    const prefix = paramPrefix(source, ref, namespace);
    const cache = this.#feed.objects(source.prefix);
    await cache.waitFor(0);
    const found = ref.name
      ? [cache.get(prefix + ref.name)?.value].filter((stored) => stored !== undefined)
      : selected(
          cache.list(prefix).entries.map(({ value }) => value),
          ref,
        );
    if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
      throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
    }
    return await Promise.all(found.map((stored) => source.show(stored)));
  }
}

function paramPrefix(source: ParamSource, ref: ParamRef, namespace: string): string {
  if (!source.namespaced) {
    if (!ref.namespace) return source.prefix;
    throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const place = ref.namespace || namespace;
  if (place === '') {
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  }
  return `${source.prefix}${place}/`;
}

function selected(all: readonly StoredObject[], { selector }: ParamRef): StoredObject[] {
  const compiled = compileLabelSelector(isObject(selector) ? selector : {});
  return all.filter(({ object }) => compiled.matches(object.metadata.labels));
}

interface Definition {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; served: boolean }[];
  };
}

function builtinSources(): Map<string, ParamSource> {
  const sources = new Map<string, ParamSource>();
  for (const kind of builtinKinds()) {
    const { storage, namespaced } = kind;
    if (storage === undefined) continue;
    sources.set(`${groupVersion(kind)}/${kind.kind}`, {
      prefix: storage.prefix,
      namespaced,
      show: (stored) => (storage.identity ? stored.object : storage.fromStored(deepCopy(stored.object))),
    });
  }
  return sources;
}
