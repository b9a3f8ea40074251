import { goPointer } from '@annex/machinery';
import { immutable, immutableStrings } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateStorageCapacity } from './validation.ts';

export const csiStorageCapacities: BuiltinKind = {
  group: 'storage.k8s.io',
  resource: 'csistoragecapacities',
  validation: {
    object: validateStorageCapacity,
    update: immutable({ path: 'nodeTopology', print: goPointer }, ...immutableStrings('storageClassName')),
  },
};
