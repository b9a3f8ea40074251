import { internalError, type KubeObject, parseGroupVersion } from '@annex/machinery';
import type { StorageKind } from '@annex/kinds';
import type { ResourceDefinition } from './resource-definition.ts';

/** A definition whose name in URLs is known. */
export type Definition = ResourceDefinition & { plural: string };

/**
 * How a version of a resource is kept: in the form of the one version that all others name in `storedAs`. What was stored
 * in another of the versions, before that changed, is still read. `complete` finishes what a conversion made in the form of a version.
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

/** A conversion says what becomes of the content; the type and the metadata are not its business. */
const typed = (converted: KubeObject, apiVersion: string, { kind, metadata }: KubeObject): KubeObject => ({
  ...(kind === undefined ? {} : { kind }),
  apiVersion,
  ...withoutType(converted),
  metadata,
});

const withoutType = ({ kind: _kind, apiVersion: _apiVersion, ...content }: KubeObject) => content;
