import { forbidden, type KubeObject } from '@annex/machinery';
import type { RequestContext, ResourceKind } from '@annex/kinds';
import type { ExtensionRequest, OwnObjects } from './resource-definition.ts';

/** Returns what the functions of a definition receive for a request about an object. */
export function extensionRequest(
  request: RequestContext,
  kind: Pick<ResourceKind, 'group' | 'resource'>,
  object: KubeObject,
  objects: OwnObjects,
): ExtensionRequest {
  const name = object.metadata.name || request.info.name;
  return {
    user: request.user,
    get signal() {
      return request.signal;
    },
    objects,
    forbidden: (why) => forbidden(kind, name, why),
  };
}
