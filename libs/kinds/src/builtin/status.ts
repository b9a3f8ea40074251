import { type JsonValue, type KubeObject, type ObjectMeta, setOwn } from '@annex/machinery';
import type { MetaChecks, OwnedFields, Preparation, Strategy } from '../strategy.ts';
import type { Subresource } from '../subresource.ts';

/** The strategy of the main endpoint of kinds with a status subresource: writes keep the status. */
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

interface StatusEndpoint extends Pick<Subresource, 'read' | 'metaChecks' | 'resetFields'> {
  write(sent: KubeObject, parent: KubeObject, request?: unknown): KubeObject;
}

type MetaField = 'labels' | 'annotations' | 'finalizers' | 'ownerReferences';

/** The metadata fields that most status endpoints accept. */
export const allMetadata: readonly MetaField[] = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** Differences between the status endpoints of built-in kinds. */
interface StatusRules {
  /** The metadata fields that a write leaves unchanged; none by default. */
  keeps?: readonly MetaField[];
  metaChecks?: MetaChecks;
}

/**
 * Returns the status endpoint of a built-in kind: writes change the status and, unlike for custom resources,
 * the metadata; nothing else.
 */
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

/** Sets a field to its value in another object; removes it if it is absent there. */
export function restore(object: KubeObject, old: KubeObject, field: string): void {
  if (!Object.hasOwn(old, field) || old[field] === undefined) delete object[field];
  else setOwn(object, field, old[field]);
}

/**
 * Combines two strategies: preparation hooks of both run, those of the base first; every other hook of
 * `added` replaces that of the base.
 */
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
