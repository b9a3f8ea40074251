import { groupVersion, type KubeObject } from '@annex/machinery';
import { parentManagedFields } from '@annex/schema';
import { mapMaybePromise } from '@annex/runtime';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Builds the object to store from an object that was written to a subresource. */
export const writeThrough: Step<WriteContext> = {
  name: 'writeThrough',
  run(write, next) {
    const { subresource, current } = write;
    if (subresource?.spec.write === undefined || current === undefined) return next(write);
    const writing = subresource.spec.write(write.object, current.object, write.request);
    return mapMaybePromise(writing, (written) => {
      // It may share parts with the stored object; later steps change only its metadata.
      const object: KubeObject = { ...written, metadata: { ...written.metadata } };
      carryManagedFields(write, object, current.object);
      write.object = object;
      return next(write);
    });
  },
};

function carryManagedFields(
  { kind, subresource, object: scale }: WriteContext,
  object: KubeObject,
  parent: KubeObject,
) {
  const paths = subresource?.spec.replicasPaths;
  if (paths === undefined) return;
  const [before, written] = [parent.metadata.managedFields, scale.metadata.managedFields];
  const entries = parentManagedFields(before, written, paths, groupVersion(kind));
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}
