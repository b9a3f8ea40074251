import { csiDrivers } from './csidrivers/kind.ts';
import { csiNodes } from './csinodes/kind.ts';
import { csiStorageCapacities } from './csistoragecapacities/kind.ts';
import { storageClasses } from './storageclasses/kind.ts';
import { volumeAttachments } from './volumeattachments/kind.ts';
import { volumeAttributesClasses } from './volumeattributesclasses/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `storage.k8s.io`. */
export const storageGroup: readonly BuiltinKind[] = [
  csiDrivers,
  csiNodes,
  csiStorageCapacities,
  storageClasses,
  volumeAttachments,
  volumeAttributesClasses,
];
