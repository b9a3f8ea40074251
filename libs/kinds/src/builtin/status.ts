import { type JsonValue, type KubeObject, type ObjectMeta, setOwn } from '@annex/machinery';
import type { MetaChecks, OwnedFields, Preparation, Strategy } from '../strategy.ts';
import type { Subresource } from '../subresource.ts';

/** The main endpoint of kinds with a status subresource: writes there leave the status alone. */
export const statusStrategy = (
  newStatus: () => JsonValue | undefined,
  { takesNewStatus = false }: OwnedFields = {},
): Preparation => ({
  prepareForCreate(object) {
    if (takesNewStatus && object.status !== undefined) return;
    restore(object, { metadata: {}, status: structuredClone(newStatus()) }, 'status');
  },
  prepareForUpdate(object, old) {
    restore(object, old, 'status');
  },
});

type StatusEndpoint = Pick<Subresource, 'read' | 'write' | 'metaChecks' | 'resetFields'>;

type MetaField = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences';

/** The metadata fields that the status endpoint of most kinds takes. */
export const allMetadata: readonly MetaField[] = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** How the status endpoint of a built-in kind differs from that of others. */
interface StatusRules {
  /** The metadata fields that a write leaves unchanged; none by default. */
  keeps?: readonly MetaField[];
  metaChecks?: MetaChecks;
}

/** The status endpoint of a built-in kind: writes there take the status and, unlike custom resources, the metadata; nothing else. */
export const statusEndpoint = ({ keeps = [], metaChecks }: StatusRules = {}): StatusEndpoint => ({
  read: (parent) => parent,
  write(sent, parent): KubeObject {
    const { apiVersion, kind } = sent;
    const metadata: ObjectMeta = { ...sent.metadata };
    for (const field of keeps) {
      if (parent.metadata[field] === undefined) delete metadata[field];
      else setOwn(metadata, field, parent.metadata[field]);
    }
    const kept = { ...parent, apiVersion, kind, metadata } as KubeObject;
    restore(kept, sent, 'status');
    return kept;
  },
  ...(metaChecks === undefined ? {} : { metaChecks }),
  resetFields:
    keeps === allMetadata
      ? [['metadata'], ['spec']]
      : [['spec'], ...keeps.map((field) => ['metadata', field])],
});

/** Makes a field what it is in another object, absent where it is absent there. */
export function restore(object: KubeObject, old: KubeObject, field: string): void {
  if (!Object.hasOwn(old, field) || old[field] === undefined) delete object[field];
  else setOwn(object, field, old[field]);
}

/** Both strategies: where both prepare an object, the base does so first; every other hook of `added` replaces. */
export function combineStrategies(base: Strategy, added: Strategy): Strategy {
  const both: Strategy = { ...base, ...added };
  if (base.prepareForCreate && added.prepareForCreate) {
    both.prepareForCreate = async (object, request) => {
      await base.prepareForCreate?.(object, request);
      await added.prepareForCreate?.(object, request);
    };
  }
  if (base.prepareForUpdate && added.prepareForUpdate) {
    both.prepareForUpdate = async (object, old, request) => {
      await base.prepareForUpdate?.(object, old, request);
      await added.prepareForUpdate?.(object, old, request);
    };
  }
  return both;
}
