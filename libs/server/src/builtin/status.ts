import type { JsonValue, KubeObject } from '@annex/machinery';
import type { Strategy, Subresource } from '../resource-kind.ts';

/** The main endpoint of kinds with a status subresource: writes there leave the status alone. */
export const statusStrategy = (newStatus: () => JsonValue | undefined): Strategy => ({
  prepareForCreate(object) {
    restore(object, { metadata: {}, status: structuredClone(newStatus()) }, 'status');
  },
  prepareForUpdate(object, old) {
    restore(object, old, 'status');
  },
});

/** The status endpoint: writes there take the status and, unlike custom resources, the metadata; nothing else. */
export const statusSubresource: Pick<Subresource, 'read' | 'write'> = {
  read: (parent) => parent,
  write(sent, parent): KubeObject {
    const { apiVersion, kind, metadata } = sent;
    const kept = { ...parent, apiVersion, kind, metadata } as KubeObject;
    restore(kept, sent, 'status');
    return kept;
  },
};

/** Makes a field what it is in another object, absent where it is absent there. */
export function restore(object: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}

/** Both strategies: where both prepare an object, the base does so first; every other hook of `added` replaces. */
export function combineStrategies(base: Strategy, added: Strategy): Strategy {
  const both: Strategy = { ...base, ...added };
  if (base.prepareForCreate && added.prepareForCreate) {
    both.prepareForCreate = async (object, ctx) => {
      await base.prepareForCreate?.(object, ctx);
      await added.prepareForCreate?.(object, ctx);
    };
  }
  if (base.prepareForUpdate && added.prepareForUpdate) {
    both.prepareForUpdate = async (object, old, ctx) => {
      await base.prepareForUpdate?.(object, old, ctx);
      await added.prepareForUpdate?.(object, old, ctx);
    };
  }
  return both;
}
