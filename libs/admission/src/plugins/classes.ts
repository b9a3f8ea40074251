import { getOwn, type KubeObject } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';

/** Reads the objects of a kind for admission plugins, as new as the store at the time of the call. */
export interface Lookup {
  get(name: string): Promise<KubeObject | undefined>;
  list(): Promise<KubeObject[]>;
}

/** Creates a lookup of the objects under a prefix of the store. */
export function lookup(deps: ServerDeps, prefix: string): Lookup {
  const fresh = async () => {
    const cache = deps.feed.objects(prefix);
    await cache.waitFor();
    return cache;
  };
  return {
    get: async (name) => (await fresh()).get(`${prefix}${name}`)?.value.object,
    list: async () => (await fresh()).list(prefix).entries.map(({ value }) => value.object),
  };
}

/**
 * Returns the class that an annotation marks as the default; of several the newest, then the first by name.
 */
export function defaultClass(classes: readonly KubeObject[], annotation: string): KubeObject | undefined {
  const created = ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '';
  const name = ({ metadata }: KubeObject) => metadata.name ?? '';
  const marked = classes.filter(({ metadata }) => getOwn(metadata.annotations, annotation) === 'true');
  marked.sort((a, b) => {
    if (created(a) !== created(b)) return created(a) > created(b) ? -1 : 1;
    return name(a) < name(b) ? -1 : 1;
  });
  return marked[0];
}
