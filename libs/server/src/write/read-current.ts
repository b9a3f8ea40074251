import { type KubeObject, notFound } from '@annex/machinery';
import { type ReplicasPaths, scaleManagedFields } from '@annex/schema';
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
      if (current === undefined) requireCreating(write);
      else checkUid(write, current.object);
      return mapMaybePromise(current && shown(write, current.object), (live) => {
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
  const { read, replicasPaths } = subresource?.spec ?? {};
  const object = read ? read(parent, request) : parent;
  if (replicasPaths === undefined) return object;
  return mapMaybePromise(object, (scale) => withOwners(scale, parent, replicasPaths));
}

/** A Scale has the owners of the fields of its parent that it shows. */
function withOwners(scale: KubeObject, parent: KubeObject, paths: ReplicasPaths): KubeObject {
  const managedFields = scaleManagedFields(parent.metadata.managedFields, paths);
  return { ...scale, metadata: { ...scale.metadata, ...(managedFields ? { managedFields } : {}) } };
}
