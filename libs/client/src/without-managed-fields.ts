import type { KubeObject } from '@annex/machinery';

/** Reduces an object for the cache of an informer: managed fields are often half of it. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
