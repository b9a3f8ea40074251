import { alreadyExists, isReason, type KubeObject, StatusError, unclassified } from '@annex/machinery';
import { keepManagedFieldsTimes } from '@annex/schema';
import { withVersion } from '../stored-objects.ts';
import { asJson } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { ConcurrentChange } from './retry-on-conflict.ts';

/** Writes the object, unless the request is a dry run. A terminating object without finalizers is deleted instead. */
export const store: Step<WriteContext> = {
  name: 'store',
  async run(write, next) {
    if (write.current !== undefined) keepManagedFieldsTimes(write.object, write.current.object);
    const { current, object, objects, query } = write;
    // What an apply emptied by removing its fields is null, which nobody would read back.
    if (write.operation === 'apply' && !write.kind.behavior.typed && !query.dryRun)
      write.kind.schema.prune(asJson(object));
    if (query.dryRun) {
      if (current === undefined) await refuseExisting(write);
      // A dry run sees the version it would replace; a new object has none.
      const shown = await objects.preview(object);
      write.result = current ? withVersion(shown, Number(current.object.metadata.resourceVersion)) : shown;
    } else if (current === undefined) {
      write.result = await create(write);
    } else if (isReleased(write)) {
      if ((await objects.remove(current)) === undefined) throw new ConcurrentChange();
      await write.kind.strategy.afterDelete?.(object);
      write.result = withVersion(await objects.preview(object), current.stored.modRevision);
    } else {
      const updated = await objects.update(current, object);
      if (updated === undefined) throw new ConcurrentChange();
      write.result = updated;
    }
    await next(write);
  },
};

const versionOnCreate = () => unclassified('resourceVersion should not be set on objects to be created');

async function create(write: WriteContext): Promise<KubeObject> {
  const { kind, object, objects } = write;
  // A version that is no number is not looked at.
  if (write.operation === 'create' && Number(object.metadata.resourceVersion ?? 0) > 0)
    throw versionOnCreate();
  try {
    return await objects.create(object, kind.storage?.ttlSeconds?.(object));
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
    // An apply or an update that may create changes what somebody else created meanwhile.
    if (write.operation !== 'create') throw new ConcurrentChange();
    await refuseExisting(write);
    throw error;
  }
}

/** Throws AlreadyExists where an object of that name is there; it may be going. */
async function refuseExisting(write: WriteContext): Promise<void> {
  const there = await write.objects.read(write.namespace, write.name);
  if (there === undefined) return;
  const { status, headers } = nameTaken(write);
  if (there.object.metadata.deletionTimestamp === undefined) throw new StatusError(status, headers);
  throw new StatusError({ ...status, message: `object is being deleted: ${status.message}` }, headers);
}

/** A name counts as generated where the object could have had one generated, whoever chose it. */
function nameTaken({ kind, name, object }: WriteContext): StatusError {
  const taken = alreadyExists(kind, name);
  if (!object.metadata.generateName) return taken;
  const { message, details } = taken.status;
  const why = `${message}, the server was not able to generate a unique name for the object`;
  const status = { ...taken.status, message: why, details: { ...details, retryAfterSeconds: 1 } };
  return new StatusError(status, { 'Retry-After': '1' });
}

/** True when the last thing that held a terminating object back is gone. A grace period is ended by a DELETE. */
function isReleased(write: WriteContext): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = write.current?.object.metadata ?? {};
  if (deletionTimestamp === undefined || Number(deletionGracePeriodSeconds) !== 0) return false;
  if ((write.object.metadata.finalizers ?? []).length > 0) return false;
  return !write.kind.strategy.holdsDeletion?.(write.object);
}
