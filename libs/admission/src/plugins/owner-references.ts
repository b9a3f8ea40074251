import type { Attributes, Authorizer } from '@annex/auth';
import { deepEqual, type KubeObject, type OwnerReference, parseGroupVersion } from '@annex/machinery';
import type { AdmissionAttributes, AdmissionPlugin, ServerDeps } from '@annex/server';
import { type OwnerResource, OwnerResources } from './owner-resources.ts';
import { refuse } from './refuse.ts';

/**
 * Changing the owners of an object requires the permission to delete it, and blocking the deletion of an owner that to update its finalizers.
 * Source: "OwnerReferencesPermissionEnforcement" of the admission controllers documentation.
 */
export function ownerReferencesPermission({ feed }: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  const resources = new OwnerResources(feed);
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    async validate(attributes) {
      const { kind, object, oldObject, operation, subresource } = attributes;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      // The status of a Pod cannot change its owners.
      if (kind.group === '' && kind.resource === 'pods' && subresource === 'status') return;
      const [owners, oldOwners] = [ownersOf(object), ownersOf(oldObject)];
      if (deepEqual(owners, oldOwners)) return;
      if (operation === 'UPDATE') await requireDelete(authorizer, attributes);
      const blocking = newlyBlocking(owners, oldOwners);
      if (blocking.length === 0) return;
      const anything = await authorizer.authorize(finalizersOf(attributes, anyResource, '*'));
      if (anything.decision === 'allow') return;
      for (const owner of blocking) await requireFinalizers(authorizer, attributes, owner, resources);
    },
  };
}

const ownersOf = (object: KubeObject | undefined): OwnerReference[] => object?.metadata.ownerReferences ?? [];

/** The owners whose deletion the new object blocks and the old one does not. */
function newlyBlocking(owners: readonly OwnerReference[], oldOwners: readonly OwnerReference[]) {
  const before = new Set(oldOwners.filter((owner) => owner.blockOwnerDeletion).map(({ uid }) => uid));
  return owners.filter((owner) => owner.blockOwnerDeletion && !before.has(owner.uid));
}

/** Refuses the request unless the user has a permission. */
async function requirePermission(
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  permission: Attributes,
  message: string,
): Promise<void> {
  const { decision, evaluationError, reason } = await authorizer.authorize(permission);
  if (decision !== 'allow') throw refuse(attributes, `${message}: ${reason}, ${evaluationError ?? '<nil>'}`);
}

function requireDelete(authorizer: Authorizer, attributes: AdmissionAttributes): Promise<void> {
  const { kind, name, namespace, request, subresource } = attributes;
  const permission: Attributes = {
    user: request.user,
    verb: 'delete',
    resourceRequest: true,
    apiGroup: kind.group,
    apiVersion: kind.version,
    resource: kind.resource,
    subresource,
    namespace,
    name,
    path: '',
  };
  const message = "cannot set an ownerRef on a resource you can't delete";
  return requirePermission(authorizer, attributes, permission, message);
}

async function requireFinalizers(
  authorizer: Authorizer,
  attributes: AdmissionAttributes,
  owner: OwnerReference,
  resources: OwnerResources,
): Promise<void> {
  const { apiVersion, kind, name } = owner;
  const resource = await resources.find(owner);
  if (resource === undefined) {
    const { group, version } = parseGroupVersion(apiVersion);
    const why = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(group === '' ? version : apiVersion)}`;
    throw refuse(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
    );
  }
  const message =
    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
  await requirePermission(authorizer, attributes, finalizersOf(attributes, resource, name), message);
}

const anyResource: OwnerResource = { group: '*', version: '*', resource: '*', namespaced: false };

/** An owner in a namespace is in that of the object. */
const finalizersOf = (
  { namespace, request }: AdmissionAttributes,
  { group, namespaced, resource, version }: OwnerResource,
  name: string,
): Attributes => ({
  user: request.user,
  verb: 'update',
  resourceRequest: true,
  apiGroup: group,
  apiVersion: version,
  resource,
  subresource: 'finalizers',
  namespace: namespaced ? namespace : '',
  name,
  path: '',
});
