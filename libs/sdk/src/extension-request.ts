import type { UserInfo } from '@annex/auth';
import { forbidden, type KubeObject, type StatusError } from '@annex/machinery';
import type { RequestContext, ResourceKind } from '@annex/kinds';
import type { OwnObjects } from './own-objects.ts';

/** What the functions of a definition may know beside the object. */
export interface ExtensionRequest {
  /** Who asks. */
  readonly user: UserInfo;
  /** Aborts when the client goes away or its time is over. */
  readonly signal: AbortSignal;
  /** The objects of this server. */
  readonly objects: OwnObjects;
  /** A refusal, to be thrown: `403 Forbidden` in the words of kube-apiserver, with the name of the object. */
  forbidden(why: string): StatusError;
}

/** Makes it for a request about an object. */
export function extensionRequest(
  ctx: RequestContext,
  kind: Pick<ResourceKind, 'group' | 'resource'>,
  object: KubeObject,
  objects: OwnObjects,
): ExtensionRequest {
  const name = object.metadata.name || ctx.info.name;
  return {
    user: ctx.user,
    get signal() {
      return ctx.signal;
    },
    objects,
    forbidden: (why) => forbidden(kind, name, why),
  };
}
