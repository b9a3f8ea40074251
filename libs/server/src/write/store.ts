import {
  alreadyExists,
  finishInSlices,
  isReason,
  type KubeObject,
  StatusError,
  unclassified,
} from '@annex/machinery';
import { keepManagedFieldsTimes, pruneFields } from '@annex/schema';
import { type Current, withVersion } from '../stored-objects.ts';
import { asJson } from '@annex/kinds';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';
import { pause } from '../large-objects.ts';
import { isLargeWrite } from './large-write.ts';
import { ConcurrentChange } from './retry-on-conflict.ts';

/**
 * Stores the object, unless the request is a dry run. Deletes a terminating object that has no more
 * finalizers.
 */
export const store: Step<WriteContext> = {
  name: 'store',
  async run(write, next) {
    if (write.current !== undefined) keepManagedFieldsTimes(write.object, write.current.object);
    const { current, object, objects, query } = write;
    // An apply that removed its last fields leaves null, which could not be decoded.
    if (write.operation === 'apply' && !write.kind.behavior.typed && !query.dryRun) await pruneApplied(write);
    if (query.dryRun) {
      if (current === undefined) await refuseExisting(write);
      // A dry run returns the version that it would replace; a new object has none.
      const shown = await objects.preview(object, isLargeWrite(write));
      write.result = current ? withVersion(shown, Number(current.object.metadata.resourceVersion)) : shown;
    } else if (current === undefined) {
      write.result = await create(write);
    } else if (isReleased(write)) {
      if ((await objects.remove(current)) === undefined) throw new ConcurrentChange();
      await write.kind.strategy.afterDelete?.(object);
      write.result = withVersion(
        await objects.preview(object, isLargeWrite(write)),
        current.stored.modRevision,
      );
    } else {
      const updated = await objects.update(current, object, isLargeWrite(write));
      if (updated === undefined) throw new ConcurrentChange();
      write.result = updated;
    }
    await next(write);
  },
};

async function pruneApplied({ kind: { schema }, object }: WriteContext): Promise<void> {
  await finishInSlices(pruneFields(schema, asJson(object)), pause);
}

const versionOnCreate = () => unclassified('resourceVersion should not be set on objects to be created');

async function create(write: WriteContext): Promise<KubeObject> {
  const { kind, object, objects } = write;
  // A resourceVersion that is not a number is ignored.
  if (write.operation === 'create' && Number(object.metadata.resourceVersion ?? 0) > 0)
    throw versionOnCreate();
  try {
    return await objects.create(object, {
      ttlSeconds: kind.storage?.ttlSeconds?.(object),
      large: isLargeWrite(write),
    });
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
    // An apply, or an update that may create, retries with the object that was created concurrently.
    if (write.operation !== 'create') throw new ConcurrentChange();
    await refuseExisting(write);
    throw error;
  }
}

/** Throws AlreadyExists if an object has that name; the message differs if it is terminating. */
async function refuseExisting(write: WriteContext): Promise<void> {
  const there = await readable(write);
  if (there === undefined) return;
  const { status, headers } = nameTaken(write);
  if (there.object.metadata.deletionTimestamp === undefined) throw new StatusError(status, headers);
  throw new StatusError({ ...status, message: `object is being deleted: ${status.message}` }, headers);
}

/** Returns the object of that name; `undefined` also if it cannot be converted, as in kube-apiserver. */
async function readable({ objects, namespace, name }: WriteContext): Promise<Current | undefined> {
  try {
    return await objects.read(namespace, name);
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** If the object has generateName, its name counts as generated, even if the client chose it. */
function nameTaken({ kind, name, object }: WriteContext): StatusError {
  const taken = alreadyExists(kind, name);
  if (!object.metadata.generateName) return taken;
  const { message, details } = taken.status;
  const why = `${message}, the server was not able to generate a unique name for the object`;
  const status = { ...taken.status, message: why, details: { ...details, retryAfterSeconds: 1 } };
  return new StatusError(status, { 'Retry-After': '1' });
}

/**
 * Returns whether the write removes the last finalizer of a terminating object. A grace period is ended only
 * by a DELETE.
 */
function isReleased(write: WriteContext): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = write.current?.object.metadata ?? {};
  if (deletionTimestamp === undefined || Number(deletionGracePeriodSeconds) !== 0) return false;
  if ((write.object.metadata.finalizers ?? []).length > 0) return false;
  return !write.kind.strategy.holdsDeletion?.(write.object);
}
