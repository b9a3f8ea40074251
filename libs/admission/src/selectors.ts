import { type KubeObject, type LabelSelector, type Labels, notFound } from '@annex/machinery';
import type { AdmissionAttributes, ServerDeps } from '@annex/server';

const prefix = '/registry/namespaces/';

/** The namespaces that selectors look at. */
export type FindNamespace = (name: string) => Promise<KubeObject | undefined>;

/** Finds namespaces in the watch cache, and asks the store for those that it does not know yet. */
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
 * True where the namespace of a request, or the Namespace it writes, has the labels. Objects without a namespace
 * match always. Throws NotFound where the namespace does not exist.
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

/** True where the object, or the one that it replaces, has the labels. */
export const objectMatches = (
  selector: LabelSelector,
  { object, oldObject }: Pick<AdmissionAttributes, 'object' | 'oldObject'>,
): boolean =>
  selector.empty ||
  // The options of a connection have no metadata, and match no selector.
  [object, oldObject].some(
    (one) => one !== undefined && 'metadata' in one && selector.matches(one.metadata.labels),
  );
