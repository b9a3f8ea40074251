import { type ManagedFieldsEntry, unclassified } from '@annex/machinery';
import { FieldSet } from './field-set.ts';
import { fieldElement } from './field-set-element.ts';
import { decodeManagedFields, encodeManagedFields, type Managed, noManagedFields } from './managed-fields.ts';

/** The path of the replicas in each version of a kind; `undefined` if the version has no Scale. Absent versions are unknown. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

type Entries = readonly ManagedFieldsEntry[] | undefined;

const scaleVersion = 'autoscaling/v1';
const scaleReplicas = FieldSet.of(['spec', 'replicas']);
const replicasElements = ['spec', 'replicas'].map(fieldElement);

/** Returns the managedFields of an object's Scale: owners of the object's replicas own those of the Scale. */
export function scaleManagedFields(parent: Entries, paths: ReplicasPaths): ManagedFieldsEntry[] | undefined {
  const managed = decode(parent);
  const scale = noManagedFields();
  for (const [id, { set, apiVersion, applied }] of managed.fields) {
    const path = paths.get(apiVersion);
    if (path === undefined || !set.has(path.map(fieldElement))) continue;
    scale.fields.set(id, { set: scaleReplicas, apiVersion: scaleVersion, applied });
    scale.times.set(id, managed.times.get(id));
  }
  return encodeManagedFields(scale);
}

/**
 * Returns the managedFields of an object after a write of its Scale in the object's version `apiVersion`. Ownership of the
 * replicas follows that of the Scale. Entries of unknown versions are dropped, as in kube-apiserver.
 */
export function parentManagedFields(
  parent: Entries,
  scale: Entries,
  paths: ReplicasPaths,
  apiVersion: string,
): ManagedFieldsEntry[] | undefined {
  const managed = decode(parent);
  const owners = decode(scale).fields;
  const kept: Managed = { ...managed, fields: new Map() };
  for (const [id, owned] of managed.fields) {
    if (!paths.has(owned.apiVersion)) continue;
    const path = paths.get(owned.apiVersion);
    const hadReplicas = path !== undefined && owned.set.has(path.map(fieldElement));
    const isLost = hadReplicas && !owners.has(id);
    const set = isLost ? owned.set.difference(FieldSet.of(path)) : owned.set;
    if (!set.isEmpty) kept.fields.set(id, { ...owned, set });
    if (hadReplicas) owners.delete(id);
  }
  const own = paths.get(apiVersion);
  for (const [id, { set, applied }] of owners) {
    if (own === undefined || !set.has(replicasElements)) continue;
    kept.fields.set(id, { set: FieldSet.of(own), apiVersion, applied });
  }
  return encodeManagedFields(kept);
}

function decode(entries: Entries): Managed {
  try {
    return decodeManagedFields(entries);
  } catch (error) {
    throw unclassified(error instanceof Error ? error.message : String(error));
  }
}
