import { internalError, type KubeObject, parseGroupVersion } from '@annex/machinery';
import type { StorageKind } from '@annex/server';
import type { ResourceDefinition } from './define-resource.ts';

/** A definition whose name in URLs is known. */
export type Definition = ResourceDefinition & { plural: string };

/**
 * How a version of a resource is kept: in the form of the one version that all others name in `storedAs`. What was stored
 * in another of the versions, before that changed, is still read.
 */
export function storageOf(
  group: string,
  definition: Definition,
  versions: readonly Definition[],
): StorageKind {
  const hub = definition.storedAs?.version ?? definition.version;
  const form = (version: string) => versions.find((candidate) => candidate.version === version);
  const toHub = (object: KubeObject): KubeObject => {
    const { version } = parseGroupVersion(object.apiVersion ?? '');
    if (version === hub) return object;
    const storedAs = form(version)?.storedAs;
    if (storedAs?.version !== hub) {
      throw internalError(`${group}/${hub} cannot read an object that is stored as ${object.apiVersion}`);
    }
    return typed(storedAs.to(object), `${group}/${hub}`, object);
  };
  return {
    prefix: `/registry/${group}/${definition.plural}/`,
    apiVersion: `${group}/${hub}`,
    identity: versions.length === 1,
    fromStored(object) {
      const stored = toHub(object);
      const { storedAs, version } = definition;
      return storedAs === undefined ? stored : typed(storedAs.from(stored), `${group}/${version}`, stored);
    },
    toStored: toHub,
  };
}

/** A conversion says what becomes of the content; the type and the metadata are not its business. */
const typed = (converted: KubeObject, apiVersion: string, { kind, metadata }: KubeObject): KubeObject => ({
  ...converted,
  apiVersion,
  ...(kind === undefined ? {} : { kind }),
  metadata,
});
