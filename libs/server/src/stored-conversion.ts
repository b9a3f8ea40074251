import type { StorageKind } from '@annex/kinds';
import { finishInSlices, type KubeObject } from '@annex/machinery';
import { pause } from './large-objects.ts';

/** Converts a large object from its storage version, in slices if the kind has passes. May change its argument. */
export const fromStoredInSlices = (
  storage: StorageKind,
  object: KubeObject,
): KubeObject | Promise<KubeObject> =>
  storage.inPasses === undefined
    ? storage.fromStored(object, pause)
    : finishInSlices(storage.inPasses.fromStored(object), pause);

/** Converts a large object to its storage version, in the same way. */
export const toStoredInSlices = (
  storage: StorageKind,
  object: KubeObject,
): KubeObject | Promise<KubeObject> =>
  storage.inPasses === undefined
    ? storage.toStored(object, pause)
    : finishInSlices(storage.inPasses.toStored(object), pause);
