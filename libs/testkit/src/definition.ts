import type { JsonRecord } from './structural-schemas.ts';

/** What a test says of a kind that it defines. */
export interface DefinitionOptions {
  group: string;
  kind: string;
  /** By default the kind in small letters, with an `s`. */
  plural?: string;
  /** Names beside kind and plural. */
  names?: JsonRecord;
  /** What its objects are, `type: object` aside; by default anything. */
  schema?: JsonRecord;
  /** What its only version, `v1`, has beside the schema. */
  version?: JsonRecord;
  /** In the place of that version. */
  versions?: JsonRecord[];
}

const anything: JsonRecord = { 'x-kubernetes-preserve-unknown-fields': true };

/** A version of a kind, served and stored where nothing else is said. */
export const definitionVersion = (name: string, schema: JsonRecord = anything, more: JsonRecord = {}) => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
});

/** The CustomResourceDefinition of a kind in namespaces. */
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
