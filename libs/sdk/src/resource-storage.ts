import { internalError, type KubeObject, parseGroupVersion } from '@annex/machinery';
import type { StorageKind } from '@annex/kinds';
import type { ResourceDefinition } from './resource-definition.ts';

/** A definition with its plural name. */
export type Definition = ResourceDefinition & { plural: string };

/**
 * Returns the stored form of a version: that of the version that all others name in `storedAs`. Objects that
 * were stored in another version earlier are still readable. `complete` finishes the result of a conversion.
 */
export function storageOf(
  group: string,
  definition: Definition,
  versions: readonly Definition[],
  complete: (object: KubeObject, definition: Definition) => void = () => {},
): StorageKind {
  const hub = definition.storedAs?.version ?? definition.version;
  const form = (version: string) => versions.find((candidate) => candidate.version === version);
  const toHub = (object: KubeObject): KubeObject => {
    const { version } = parseGroupVersion(object.apiVersion ?? '');
    if (version === hub) return object;
    const storedAs = form(version)?.storedAs;
    const target = form(hub);
    if (storedAs?.version !== hub || target === undefined) {
      throw internalError(`${group}/${hub} cannot read an object that is stored as ${object.apiVersion}`);
    }
    const converted = typed(storedAs.to(object), `${group}/${hub}`, object);
    complete(converted, target);
    return converted;
  };
  return {
    prefix: `/registry/${group}/${definition.plural}/`,
    apiVersion: `${group}/${hub}`,
    identity: versions.length === 1,
    fromStored(object) {
      const stored = toHub(object);
      const { storedAs, version } = definition;
      if (storedAs === undefined) return stored;
      const converted = typed(storedAs.from(stored), `${group}/${version}`, stored);
      complete(converted, definition);
      return converted;
    },
    toStored: toHub,
  };
}

/** Conversions change only the content; the server sets type and metadata. */
const typed = (converted: KubeObject, apiVersion: string, { kind, metadata }: KubeObject): KubeObject => ({
  ...(kind === undefined ? {} : { kind }),
  apiVersion,
  ...withoutType(converted),
  metadata,
});

const withoutType = ({ kind: _kind, apiVersion: _apiVersion, ...content }: KubeObject) => content;
