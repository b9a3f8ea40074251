import type { KubeObject } from '@annex/machinery';
import type { Strategy, Subresource } from './resource-kind.ts';

/** The main endpoint of kinds with a status subresource: writes there leave the status alone. */
export const statusStrategy: Strategy = {
  prepareForCreate(object) {
    object.status = {};
  },
  prepareForUpdate(object, old) {
    restore(object, old, 'status');
  },
};

/** The status endpoint: writes there take the status and, unlike custom resources, the metadata; nothing else. */
export const statusSubresource: Pick<Subresource, 'read' | 'write'> = {
  read: (parent) => parent,
  write(sent, parent): KubeObject {
    const { apiVersion, kind, metadata, status } = sent;
    const kept = { ...parent, apiVersion, kind, metadata } as KubeObject;
    if (status === undefined) delete kept.status;
    else kept.status = status;
    return kept;
  },
};

/** Puts a field back to what it was, absent where it was absent. */
export function restore(object: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}
