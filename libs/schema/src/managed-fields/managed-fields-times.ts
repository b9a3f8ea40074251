import { deepEqual, type KubeObject, type ManagedFieldsEntry } from '@annex/machinery';
import { decodeManagedFields } from './managed-fields.ts';

/**
 * Restores the times of the stored managedFields if nothing else differs, in place, so that a no-op after defaulting or
 * admission is not written. Call it last, with the object as it would be stored.
 */
export function keepManagedFieldsTimes(updated: KubeObject, stored: KubeObject): void {
  const [entries, before] = [updated.metadata.managedFields ?? [], stored.metadata.managedFields ?? []];
  if (entries.length === 0 || entries.length !== before.length) return;
  if (entries.every((entry, i) => entry.time === before[i]?.time)) return;
  // Most writes change something else than times, which is found before the fields are compared.
  if (!deepEqual(untracked(updated), untracked(stored))) return;
  if (entries.every((entry, i) => deepEqual(timeless(entry), timeless(before[i] ?? {}))))
    updated.metadata.managedFields = [...before];
}

const timeless = ({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry => entry;

const untracked = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, managedFields: [] },
});

/** Returns kube-apiserver's error for managedFields that do not decode, for example after an admission webhook. */
export function managedFieldsError(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
