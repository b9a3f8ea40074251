import { isReason, type KubeObject } from '@annex/machinery';
import { type Api, deleteOptions, metadataOnly } from '../api.ts';
import { type ApiResource, resourcePath, supports } from '../discovery/resource-discovery.ts';

/** The remaining objects of a resource in a namespace after a deletion. */
export interface Left {
  count: number;
  /** Number of objects that each finalizer blocks. */
  finalizers: Map<string, number>;
  /** True if objects remain for no known reason. */
  unexplained: boolean;
}

const nothing: Left = { count: 0, finalizers: new Map(), unexplained: false };

/** The namespace to empty, and the milliseconds since its deletion began. */
export interface Emptied {
  namespace: string;
  sinceMs: number;
}

export const isPods = ({ group, resource }: ApiResource): boolean => group === '' && resource === 'pods';

/** Deletes the objects of a resource in a namespace, and reports those that remain. */
export async function deleteContent(api: Api, resource: ApiResource, emptied: Emptied): Promise<Left> {
  const { namespace } = emptied;
  if (!supports(resource, 'list')) {
    await deleteCollection(api, resource, namespace);
    return nothing;
  }
  // Most resources have no objects in most namespaces, and a list is cheaper than a deletion. No new objects can appear, because creates
  // are rejected in a namespace that is being deleted.
  if ((await list(api, resource, namespace, 1)).length === 0) return nothing;
  if (!(await deleteCollection(api, resource, namespace))) await deleteEach(api, resource, namespace);
  return await left(api, resource, emptied);
}

/** Resolves to false if the server does not support it. */
async function deleteCollection(api: Api, resource: ApiResource, namespace: string): Promise<boolean> {
  if (!supports(resource, 'deletecollection')) return false;
  try {
    const path = resourcePath(resource, namespace);
    await api.json({ method: 'DELETE', path, headers: metadataOnly.list, body: background });
    return true;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}

const background = deleteOptions({ propagationPolicy: 'Background' });

async function deleteEach(api: Api, resource: ApiResource, namespace: string): Promise<void> {
  for (const { metadata } of await list(api, resource, namespace)) {
    const path = resourcePath(resource, namespace, metadata.name);
    await api
      .json({ method: 'DELETE', path, headers: metadataOnly.object, body: background })
      .catch((error: unknown) => {
        if (!isUnsupported(error)) throw error;
      });
  }
}

/** True if the resource is gone since it was discovered, or does not support the verb despite discovery. */
const isUnsupported = (error: unknown): boolean =>
  isReason(error, 'NotFound') || isReason(error, 'MethodNotAllowed');

async function list(
  api: Api,
  resource: ApiResource,
  namespace: string,
  limit?: number,
): Promise<KubeObject[]> {
  const path = resourcePath(resource, namespace) + (limit === undefined ? '' : `?limit=${limit}`);
  // The termination grace period is in the spec of Pods.
  const headers = isPods(resource) ? {} : metadataOnly.list;
  try {
    const { items } = await api.json<{ items: KubeObject[] | null }>({ path, headers });
    return items ?? [];
  } catch (error) {
    if (isUnsupported(error)) return [];
    throw error;
  }
}

async function left(api: Api, resource: ApiResource, { namespace, sinceMs }: Emptied): Promise<Left> {
  const objects = await list(api, resource, namespace);
  const finalizers = new Map<string, number>();
  for (const { metadata } of objects) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
  }
  const isEnding = isPods(resource) && sinceMs < graceMs(objects);
  return { count: objects.length, finalizers, unexplained: finalizers.size === 0 && !isEnding };
}

/** Returns the longest remaining grace period of the Pods, in milliseconds. */
function graceMs(pods: readonly KubeObject[]): number {
  const seconds = pods.map(({ spec, status }) => {
    const { phase } = (status ?? {}) as { phase?: string };
    if (phase === 'Succeeded' || phase === 'Failed') return 0;
    return Number((spec as { terminationGracePeriodSeconds?: number })?.terminationGracePeriodSeconds ?? 0);
  });
  return Math.max(0, ...seconds) * 1000;
}
