import { type ManagedFieldsEntry, unclassified } from '@annex/machinery';
import { FieldSet } from './field-set.ts';
import { fieldElement } from './field-set-element.ts';
import { decodeManagedFields, encodeManagedFields, type Managed, noManagedFields } from './managed-fields.ts';

/** Where each version of a kind keeps its replicas; `undefined` where it has no Scale. Other versions are unknown. */
export type ReplicasPaths = ReadonlyMap<string, readonly string[] | undefined>;

type Entries = readonly ManagedFieldsEntry[] | undefined;

const scaleVersion = 'autoscaling/v1';
const scaleReplicas = FieldSet.of(['spec', 'replicas']);
const replicasElements = ['spec', 'replicas'].map(fieldElement);

/** The managedFields of the Scale of an object: those who own its replicas own the replicas of the Scale. */
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
 * The managedFields of an object whose Scale was written in the object's version `apiVersion`: who lost the replicas of the Scale
 * loses them here, and who won them owns them here. Entries of unknown versions are dropped, as kube-apiserver does.
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
