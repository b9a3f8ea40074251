import type { UserInfo } from '@annex/auth';
import type { JsonObject } from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';
import type { ResourceKind } from '@annex/kinds';

/**
 * Returns an AdmissionRequest of `admission.k8s.io/v1` without its uid and objects, in the version of `kind`.
 */
export function requestJson(attributes: AdmissionAttributes, kind: ResourceKind): JsonObject {
  const { subresource, name, namespace, operation } = attributes;
  return {
    kind: kindOf(attributes, kind),
    resource: resourceOf(kind),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(attributes, attributes.kind),
    requestResource: resourceOf(attributes.kind),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfo(attributes.request.user),
    dryRun: attributes.dryRun,
    options: attributes.options(),
  };
}

function kindOf({ objectKind }: AdmissionAttributes, named: ResourceKind): JsonObject {
  const { group, version, kind } = objectKind ?? named;
  return { group, version, kind };
}

const resourceOf = ({ group, version, resource }: ResourceKind): JsonObject => ({ group, version, resource });

const userInfo = ({ name, uid, groups, extra }: UserInfo): JsonObject => ({
  username: name,
  ...(uid && { uid }),
  ...(groups.length > 0 && { groups: [...groups] }),
  ...(Object.keys(extra).length > 0 && {
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  }),
});
