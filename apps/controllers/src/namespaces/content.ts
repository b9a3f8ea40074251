import { isReason, type KubeObject } from '@annex/machinery';
import { type Api, deleteOptions, metadataOnly } from '../api.ts';
import { type ApiResource, resourcePath, supports } from '../discovery/resource-discovery.ts';
import { foregroundFinalizer, hasFinalizer, isBeingDeleted, orphanFinalizer } from '../garbage/identity.ts';

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
  /** Number of objects that one request deletes. */
  atOnce?: number;
}

/** A request for all objects could take longer than its timeout. */
const deletedAtOnce = 2000;

export const isPods = ({ group, resource }: ApiResource): boolean => group === '' && resource === 'pods';

/** Deletes the objects of a resource in a namespace, and reports those that remain. */
export async function deleteContent(api: Api, resource: ApiResource, emptied: Emptied): Promise<Left> {
  const { namespace } = emptied;
  if (!supports(resource, 'list')) {
    await deleteCollection(api, resource, emptied);
    return nothing;
  }
  // Most resources have no objects in most namespaces, and a list is cheaper than a deletion. No new objects can appear, because creates
  // are rejected in a namespace that is being deleted.
  const [first] = await list(api, resource, namespace, 1);
  if (first === undefined) return nothing;
  if (isWaiting(first) && !isPods(resource)) {
    const objects = await list(api, resource, namespace);
    if (objects.every(isWaiting)) return left(resource, objects, emptied);
  }
  if (!(await deleteCollection(api, resource, emptied))) await deleteEach(api, resource, namespace);
  return left(resource, await list(api, resource, namespace), emptied);
}

/** True if an object is deleted already: a further deletion in the background changes only the finalizers of the garbage collector. */
const isWaiting = ({ metadata }: KubeObject): boolean =>
  isBeingDeleted(metadata) &&
  !hasFinalizer(metadata, foregroundFinalizer) &&
  !hasFinalizer(metadata, orphanFinalizer);

/** Resolves to false if the server does not support it. */
async function deleteCollection(
  api: Api,
  resource: ApiResource,
  { namespace, atOnce = deletedAtOnce }: Emptied,
): Promise<boolean> {
  if (!supports(resource, 'deletecollection')) return false;
  try {
    await deletePages(api, resourcePath(resource, namespace), atOnce);
    return true;
  } catch (error) {
    if (isUnsupported(error)) return false;
    throw error;
  }
}

interface DeletedPage {
  metadata?: { continue?: string };
  items?: KubeObject[] | null;
}

async function deletePages(api: Api, path: string, limit: number): Promise<void> {
  let [token, previous] = ['', ''];
  for (;;) {
    const query = new URLSearchParams({ limit: String(limit), ...(token && { continue: token }) });
    const headers = metadataOnly.list;
    const page = await api.json<DeletedPage>({
      method: 'DELETE',
      path: `${path}?${query}`,
      headers,
      body: background,
    });
    const following = page.metadata?.continue ?? '';
    if (following === '') return;
    // A page of the current objects costs the server less than one of the objects before. It begins with others, unless finalizers keep them.
    const first = page.items?.[0]?.metadata.uid ?? '';
    if (token !== '' || first === previous) token = following;
    previous = first;
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

function left(resource: ApiResource, objects: readonly KubeObject[], { sinceMs }: Emptied): Left {
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
