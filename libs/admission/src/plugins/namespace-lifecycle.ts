import { type KubeObject, type StatusError, failure, notFound } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionAttributes, ServerDeps } from '@annex/server';
import type { FindNamespace } from '../selectors.ts';
import { refuse } from './refuse.ts';

/**
 * kube-apiserver's NamespaceLifecycle admission plugin: refuses to create objects in a namespace that does
 * not exist or is terminating. A server whose objects may outlive their namespace also checks other
 * operations. Source: "NamespaceLifecycle" of the admission controllers documentation.
 */
export const namespaceAdmission = (
  find: FindNamespace,
  operations: readonly AdmissionAttributes['operation'][] = ['CREATE'],
): AdmissionPlugin => ({
  name: 'NamespaceLifecycle',
  // Runs in the mutating phase, so that this error precedes those of other plugins.
  mutate(attributes) {
    const { operation, kind, namespace } = attributes;
    const isIn =
      operations.includes(operation) && kind.namespaced && namespace !== '' && kind.storage !== undefined;
    return isIn ? requireNamespace(find, attributes) : undefined;
  },
});

async function requireNamespace(find: FindNamespace, attributes: AdmissionAttributes): Promise<void> {
  const namespace = await find(attributes.namespace);
  if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, attributes.namespace);
  if (attributes.operation === 'CREATE' && isTerminating(namespace)) throw terminating(attributes);
}

/** The plugin for a server that stores the namespaces. */
export const namespaceLifecycle = (deps: ServerDeps): AdmissionPlugin =>
  namespaceAdmission(async (name) => {
    const cache = deps.feed.objects('/registry/namespaces/');
    await cache.waitFor();
    return cache.get(`/registry/namespaces/${name}`)?.value.object;
  });

const isTerminating = (namespace: KubeObject): boolean =>
  namespace.metadata.deletionTimestamp !== undefined ||
  (namespace.status as { phase?: string } | undefined)?.phase === 'Terminating';

function terminating(attributes: AdmissionAttributes): StatusError {
  const { namespace } = attributes;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = refuse(attributes, why);
  return failure('Forbidden', status.message ?? '', {
    ...status.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
