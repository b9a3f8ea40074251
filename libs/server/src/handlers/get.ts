import { type KubeObject, notFound, unclassified } from '@annex/machinery';
import { parseVersion } from '../queries/list-options.ts';
import { negotiate } from '../encoding/negotiation.ts';
import { sendObject } from '../encoding/send-object.ts';
import { tooLargeVersion } from '../store-status.ts';
import type { RequestScope } from './request-scope.ts';

/** GET of one object or its subresource. */
export async function get(scope: RequestScope): Promise<void> {
  const { request, kind, objects, subresource } = scope;
  const { namespace, name } = request.info;
  const as = negotiate(request.req.headers.accept, kind.behavior.objectForms);
  const version = requestedVersion(request.query.get('resourceVersion') ?? '');
  const current = await objects.read(namespace, name);
  if (version !== undefined && version > objects.cache.revision)
    throw tooLargeVersion(version, objects.cache.revision, kind);
  if (current === undefined) throw notFound(kind, name);
  const shown: KubeObject = subresource?.spec.read
    ? await subresource.spec.read(current.object, request)
    : current.object;
  const { stored } = current;
  await sendObject(request, 200, kind, shown, as, shown === stored.object ? () => stored.line() : undefined);
}

// Only lists return a Status with a reason for this error in kube-apiserver.
export function requestedVersion(text: string): bigint | undefined {
  try {
    return parseVersion(text);
  } catch (error) {
    throw unclassified((error as Error).message);
  }
}
