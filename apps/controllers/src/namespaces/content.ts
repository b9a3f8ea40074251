import { isReason, type KubeObject } from '@annex/machinery';
import { type Api, deleteOptions, metadataOnly } from '../api.ts';
import { type ApiResource, resourcePath, supports } from '../discovery/resource-discovery.ts';

/** What is left of a resource in a namespace after its objects were deleted. */
export interface Left {
  count: number;
  /** How many objects each finalizer holds back. */
  finalizers: Map<string, number>;
  /** Objects that nothing is known to hold back, which is unexpected. */
  unexplained: boolean;
}

const nothing: Left = { count: 0, finalizers: new Map(), unexplained: false };

/** Where objects are deleted, and for how long the namespace has been going away. */
export interface Emptied {
  namespace: string;
  sinceMs: number;
}

export const isPods = ({ group, resource }: ApiResource): boolean => group === '' && resource === 'pods';

/** Deletes the objects of a resource in a namespace, and tells what stays for now. */
export async function deleteContent(api: Api, resource: ApiResource, emptied: Emptied): Promise<Left> {
  const { namespace } = emptied;
  if (!supports(resource, 'list')) {
    await deleteCollection(api, resource, namespace);
    return nothing;
  }
  // Most resources have nothing in most namespaces; asking is cheaper than deleting. Nothing new can come: creating is
  // refused in a namespace that is going away.
  if ((await list(api, resource, namespace, 1)).length === 0) return nothing;
  if (!(await deleteCollection(api, resource, namespace))) await deleteEach(api, resource, namespace);
  return await left(api, resource, emptied);
}

/** False where the server cannot. */
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

/** A resource that has gone since it was discovered, or that has no such verb, whatever discovery says. */
const isUnsupported = (error: unknown): boolean =>
  isReason(error, 'NotFound') || isReason(error, 'MethodNotAllowed');

async function list(
  api: Api,
  resource: ApiResource,
  namespace: string,
  limit?: number,
): Promise<KubeObject[]> {
  const path = resourcePath(resource, namespace) + (limit === undefined ? '' : `?limit=${limit}`);
  // For how long Pods may take is in their spec.
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

/** For how long the slowest of the Pods may take to end. */
function graceMs(pods: readonly KubeObject[]): number {
  const seconds = pods.map(({ spec, status }) => {
    const { phase } = (status ?? {}) as { phase?: string };
    if (phase === 'Succeeded' || phase === 'Failed') return 0;
    return Number((spec as { terminationGracePeriodSeconds?: number })?.terminationGracePeriodSeconds ?? 0);
  });
  return Math.max(0, ...seconds) * 1000;
}
