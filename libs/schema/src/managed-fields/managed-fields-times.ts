import { deepEqual, type KubeObject, type ManagedFieldsEntry } from '@annex/machinery';
import { decodeManagedFields } from './managed-fields.ts';

/**
 * Gives an object that is about to be written the times of its stored managedFields back where nothing else differs, in place: what
 * defaulting or admission made a no-op is then not written. To be called last, when the object is as it would be stored.
 */
export function keepManagedFieldsTimes(updated: KubeObject, stored: KubeObject): void {
  const [entries, before] = [updated.metadata.managedFields ?? [], stored.metadata.managedFields ?? []];
  if (entries.length === 0 || entries.length !== before.length) return;
  if (entries.every((entry, i) => entry.time === before[i]?.time)) return;
  if (!entries.every((entry, i) => deepEqual(timeless(entry), timeless(before[i] ?? {})))) return;
  if (deepEqual(untracked(updated), untracked(stored))) updated.metadata.managedFields = [...before];
}

const timeless = ({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry => entry;

const untracked = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, managedFields: [] },
});

/** kube's complaint about managedFields that do not decode, such as an admission webhook may leave behind. */
export function managedFieldsError(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
