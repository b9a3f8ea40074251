import { type KubeObject, type LabelSelector, type Labels, notFound } from '@annex/machinery';
import type { AdmissionAttributes, ServerDeps } from '@annex/server';

const prefix = '/registry/namespaces/';

/** Finds a namespace for selectors. */
export type FindNamespace = (name: string) => Promise<KubeObject | undefined>;

/** Finds namespaces in the watch cache, and reads those from the store that it does not contain yet. */
export function namespaceFinder(deps: Pick<ServerDeps, 'feed'>): FindNamespace {
  return async (name) => {
    const cache = deps.feed.objects(prefix);
    await cache.waitFor(0);
    const known = cache.get(prefix + name);
    if (known === undefined) await cache.waitFor();
    return (known ?? cache.get(prefix + name))?.value.object;
  };
}

/**
 * Returns whether the namespace of a request, or the Namespace of the request, has the labels. Cluster-scoped
 * objects always match. Throws NotFound if the namespace does not exist.
 */
export async function namespaceMatches(
  selector: LabelSelector,
  attributes: AdmissionAttributes,
  find: FindNamespace,
): Promise<boolean> {
  const { kind, namespace } = attributes;
  if (selector.empty || (namespace === '' && kind.resource !== 'namespaces')) return true;
  return selector.matches(await namespaceLabels(attributes, find));
}

async function namespaceLabels(attributes: AdmissionAttributes, find: FindNamespace): Promise<Labels> {
  const { kind, operation, subresource, object, namespace } = attributes;
  const isWritten = operation === 'CREATE' || operation === 'UPDATE';
  if (kind.resource === 'namespaces' && subresource === '' && isWritten) return object?.metadata.labels;
  const found = await find(namespace);
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return found.metadata.labels;
}

/** Returns whether the object or the old object has the labels. */
export const objectMatches = (
  selector: LabelSelector,
  { object, oldObject }: Pick<AdmissionAttributes, 'object' | 'oldObject'>,
): boolean =>
  selector.empty ||
  // The options of a connection have no metadata and match no selector.
  [object, oldObject].some(
    (one) => one !== undefined && 'metadata' in one && selector.matches(one.metadata.labels),
  );
