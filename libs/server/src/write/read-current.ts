import { type KubeObject, notFound } from '@annex/machinery';
import { scaleManagedFields } from '@annex/schema';
import { mapMaybePromise } from '@annex/runtime';
import type { Step } from '../step.ts';
import { checkUid } from './check-preconditions.ts';
import type { WriteContext } from './context.ts';

/** Reads the object to change. An absent one is 404, unless the operation is allowed to create it. */
export const readCurrent: Step<WriteContext> = {
  name: 'readCurrent',
  run(write, next) {
    if (write.operation === 'create') return next(write);
    return mapMaybePromise(write.objects.read(write.namespace, write.name), (current) => {
      write.current = current;
      write.code = current === undefined ? 201 : 200;
      if (current === undefined) {
        requireCreating(write);
        write.live = undefined;
        return next(write);
      }
      checkUid(write, current.object);
      return mapMaybePromise(shown(write, current.object), (live) => {
        write.live = live;
        return next(write);
      });
    });
  },
};

function requireCreating({ operation, kind, subresource, name }: WriteContext): void {
  const creates = operation === 'apply' || (operation === 'update' && kind.strategy.allowCreateOnUpdate);
  if (!creates || subresource !== undefined) throw notFound(kind, name);
}

function shown({ subresource, request }: WriteContext, parent: KubeObject): KubeObject | Promise<KubeObject> {
  const { read } = subresource?.spec ?? {};
  if (read === undefined) return withScaleOwners(subresource, parent, parent);
  return mapMaybePromise(read(parent, request), (object) => withScaleOwners(subresource, parent, object));
}

/** A Scale has the owners of the fields of its parent that it shows. */
function withScaleOwners(
  subresource: WriteContext['subresource'],
  parent: KubeObject,
  object: KubeObject,
): KubeObject {
  const { replicasPaths } = subresource?.spec ?? {};
  if (replicasPaths === undefined) return object;
  const managedFields = scaleManagedFields(parent.metadata.managedFields, replicasPaths);
  return { ...object, metadata: { ...object.metadata, ...(managedFields ? { managedFields } : {}) } };
}
