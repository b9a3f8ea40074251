import type { JsonRecord } from './structural-schemas.ts';

/** Options of {@link definitionManifest}. */
export interface DefinitionOptions {
  group: string;
  kind: string;
  /** Default: the kind in lower case, with an `s`. */
  plural?: string;
  /** Further names. */
  names?: JsonRecord;
  /** The schema of its objects, without `type: object`; any object by default. */
  schema?: JsonRecord;
  /** Further fields of its only version, `v1`. */
  version?: JsonRecord;
  /** Replaces that version. */
  versions?: JsonRecord[];
}

const anything: JsonRecord = { 'x-kubernetes-preserve-unknown-fields': true };

/** Returns a version of a kind, served and stored by default. */
export const definitionVersion = (name: string, schema: JsonRecord = anything, more: JsonRecord = {}) => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
});

/** Returns the CustomResourceDefinition of a namespaced kind. */
export function definitionManifest(options: DefinitionOptions) {
  const { group, kind, plural = `${kind.toLowerCase()}s`, names, schema, version } = options;
  const { versions = [definitionVersion('v1', schema, version)] } = options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind, ...names }, versions },
  };
}
