import { type KubeObject, type Status, conflict, deepCopy, notFound, objectModified } from '@annex/machinery';
import { type DeleteOptions, readDeleteOptions } from '../queries/delete-options.ts';
import { encodeAs, negotiate } from '../encoding/negotiation.ts';
import type { ResourceKind } from '@annex/kinds';
import { copyInSlices, isLarge } from '../large-objects.ts';
import { sendBody } from '../respond.ts';
import { sendLargeObject, sendObject } from '../encoding/send-object.ts';
import { type Current, withVersion } from '../stored-objects.ts';
import { beginTermination, isUndecided } from '../termination.ts';
import { admitRemoval } from './admit-removal.ts';
import type { RequestScope } from './request-scope.ts';

/**
 * DELETE of one object. Responds with Success if the object is gone, or with the marked object if finalizers
 * or a grace period hold it back. Some kinds always respond with the object.
 */
export async function remove(scope: RequestScope): Promise<void> {
  const { request, kind } = scope;
  const as = negotiate(request.req.headers.accept, kind.behavior.objectForms);
  const options = await readDeleteOptions(request);
  const { object, gone, isLarge } = await removeNamed(scope, request.info.name, options);
  if (!gone || kind.strategy.returnsDeleted) {
    const send = isLarge ? sendLargeObject : sendObject;
    return await send(request, 200, kind, object, as);
  }
  const status = success(kind, object);
  request.audit?.recordResponse(status);
  const { contentType, body } = await encodeAs(as.encoding, { ...status });
  sendBody(request, 200, contentType, body);
}

export interface Removed {
  object: KubeObject;
  /** False if finalizers or a grace period hold the object back. */
  gone: boolean;
  /** The stored object is large. */
  isLarge: boolean;
}

/** Runs the admission of a deletion, after those of other deletions. */
export type InTurn = (admit: () => Promise<void>) => Promise<void>;

/** Deletes one object, or marks it for deletion. Retries after a concurrent change. Throws NotFound. */
export async function removeNamed(
  scope: RequestScope,
  name: string,
  options: DeleteOptions,
  inTurn: InTurn = (admit) => admit(),
): Promise<Removed> {
  const { request, kind, objects } = scope;
  const { deletionWarning } = kind.strategy;
  if (deletionWarning !== undefined && isUndecided(options)) request.warnings.push(deletionWarning);
  for (let attempt = 0; attempt < 10; attempt++) {
    const current = await objects.read(request.info.namespace, name);
    if (current === undefined) throw notFound(kind, name);
    checkPreconditions(kind, name, current.object, options);
    await kind.strategy.admitDelete?.(current.object, request);
    await inTurn(() => admitRemoval(scope, current.object, options));
    const removed = await tryRemove(scope, current, options);
    if (removed !== undefined) return { ...removed, isLarge: isLarge(current.stored) };
  }
  throw conflict(kind, name, objectModified);
}

async function tryRemove(
  scope: RequestScope,
  current: Current,
  options: DeleteOptions,
): Promise<Omit<Removed, 'isLarge'> | undefined> {
  const { kind, objects, request, server } = scope;
  const { object } = current;
  const marked = isLarge(current.stored) ? await copyInSlices(object) : deepCopy(object);
  const reached = beginTermination(kind.strategy, marked, options, server.deps.clock.now(), request);
  if (reached === 'pending') return { object: current.object, gone: false };
  if (options.dryRun) return { object: marked, gone: reached !== 'held' };
  let last = current;
  if (reached !== 'gone') {
    const updated = await objects.update(current, marked);
    if (updated === undefined) return undefined;
    if (reached === 'held') return { object: updated, gone: false };
    const read = await objects.read(request.info.namespace, updated.metadata.name ?? '');
    // A watcher that received the mark has deleted the object.
    if (read === undefined) return { object: updated, gone: true };
    last = read;
  }
  const revision = await objects.remove(last);
  if (revision === undefined) return undefined;
  await kind.strategy.afterDelete?.(last.object);
  return { object: withVersion(last.object, revision), gone: true };
}

function checkPreconditions(
  kind: ResourceKind,
  name: string,
  object: KubeObject,
  options: DeleteOptions,
): void {
  const { preconditions = {} } = options;
  kind.strategy.checkPreconditions?.(object, preconditions);
  const { uid, resourceVersion } = preconditions;
  const { metadata } = object;
  // kube-apiserver names the kind here instead of the resource.
  const what = { group: kind.group, resource: kind.kind };
  if (uid !== undefined && uid !== null && uid !== metadata.uid) {
    throw conflict(
      what,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (
    resourceVersion !== undefined &&
    resourceVersion !== null &&
    resourceVersion !== metadata.resourceVersion
  ) {
    throw conflict(
      what,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

const success = (kind: ResourceKind, object: KubeObject): Status => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: object.metadata.name ?? '',
    ...(kind.group ? { group: kind.group } : {}),
    kind: kind.resource,
    uid: object.metadata.uid ?? '',
  },
});
