import { type KubeObject, notFound, unclassified } from '@annex/machinery';
import { mapMaybePromise } from '@annex/runtime';
import type { StoredObject } from '@annex/storage';
import { parseVersion } from '../queries/list-options.ts';
import { negotiate, type Representation } from '../encoding/negotiation.ts';
import { encodeLarge, isLarge } from '../large-objects.ts';
import { sendLargeObject, sendObject } from '../encoding/send-object.ts';
import type { Current } from '../stored-objects.ts';
import { awaitRevision } from './await-revision.ts';
import type { RequestScope } from './request-scope.ts';

/** GET of one object or its subresource. */
export function get(scope: RequestScope): Promise<void> | void {
  const { request, kind, objects } = scope;
  const { namespace, name } = request.info;
  const as = negotiate(request.req.headers.accept, kind.behavior.objectForms);
  const version = requestedVersion(request.query.get('resourceVersion') ?? '');
  return mapMaybePromise(awaitRevision(objects.cache, version, kind), () =>
    mapMaybePromise(objects.readCached(namespace, name), (current) => {
      if (current === undefined) throw notFound(kind, name);
      return send(scope, current, as);
    }),
  );
}

function send(scope: RequestScope, { stored, object }: Current, as: Representation): Promise<void> | void {
  const { request, kind, subresource } = scope;
  const shown = subresource?.spec.read ? subresource.spec.read(object, request) : object;
  return mapMaybePromise(shown, (one) =>
    isLarge(stored)
      ? sendLarge(scope, stored, one, as)
      : sendObject(request, 200, kind, one, as, one === stored.object ? () => stored.line() : undefined),
  );
}

async function sendLarge(
  { request, kind }: RequestScope,
  stored: StoredObject,
  shown: KubeObject,
  as: Representation,
): Promise<void> {
  if (shown !== stored.object || as.encoding !== 'application/json')
    return await sendLargeObject(request, 200, kind, shown, as);
  if (as.as === 'object') await encodeLarge(stored);
  await sendObject(request, 200, kind, shown, as, () => stored.line());
}

// Only lists return a Status with a reason for this error in kube-apiserver.
export function requestedVersion(text: string): bigint | undefined {
  try {
    return parseVersion(text);
  } catch (error) {
    throw unclassified((error as Error).message);
  }
}
