import { type KubeObject, notFound } from '@annex/machinery';
import { scaleManagedFields } from '@annex/schema';
import type { Step } from '../step.ts';
import { checkUid } from './check-preconditions.ts';
import type { WriteContext } from './context.ts';

/** Reads the object to change. An absent one is 404, unless the operation is allowed to create it. */
export const readCurrent: Step<WriteContext> = {
  name: 'readCurrent',
  async run(write, next) {
    if (write.operation !== 'create') {
      write.current = await write.objects.read(write.namespace, write.name);
      if (write.current === undefined) {
        const creates =
          write.operation === 'apply' ||
          (write.operation === 'update' && write.kind.strategy.allowCreateOnUpdate);
        if (!creates || write.subresource !== undefined) throw notFound(write.kind, write.name);
      }
      if (write.current !== undefined) checkUid(write, write.current.object);
      write.live = write.current && (await shown(write, write.current.object));
      write.code = write.current === undefined ? 201 : 200;
    }
    await next(write);
  },
};

async function shown({ subresource, request }: WriteContext, parent: KubeObject): Promise<KubeObject> {
  const { read, replicasPaths } = subresource?.spec ?? {};
  const object = read ? await read(parent, request) : parent;
  if (replicasPaths === undefined) return object;
  const managedFields = scaleManagedFields(parent.metadata.managedFields, replicasPaths);
  return { ...object, metadata: { ...object.metadata, ...(managedFields ? { managedFields } : {}) } };
}
