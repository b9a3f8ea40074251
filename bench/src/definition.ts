/** What distinguishes the CustomResourceDefinitions of the benchmarks. */
export interface DefinitionParts {
  group: string;
  plural: string;
  /** Default: the plural without its last letter, capitalized. */
  kind?: string;
  /** The schema of the object. */
  schema: object;
  /** Names of the versions; the first one is stored. Default: `v1`. */
  versions?: readonly string[];
  /** Whether the kind has the subresource `status`. Default: true. */
  hasStatus?: boolean;
  /** How objects are converted between the versions. */
  conversion?: object;
}

/** A CustomResourceDefinition, as far as benchmarks read it. */
export interface Definition {
  apiVersion: string;
  kind: 'CustomResourceDefinition';
  metadata: { name: string };
  spec: {
    group: string;
    scope: 'Namespaced';
    names: { plural: string; singular: string; kind: string; listKind: string };
    versions: { name: string; schema: { openAPIV3Schema: object } }[];
    conversion?: object;
  };
}

/** Returns the kind of a plural: `Widget` for `widgets`. */
export const kindOf = (plural: string): string => `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;

/** Builds a CustomResourceDefinition around a schema. */
export function definitionOf({
  group,
  plural,
  kind = kindOf(plural),
  schema,
  versions = ['v1'],
  hasStatus = true,
  conversion,
}: DefinitionParts): Definition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: versions.map((name, i) => ({
        name,
        served: true,
        storage: i === 0,
        ...(hasStatus && { subresources: { status: {} } }),
        schema: { openAPIV3Schema: schema },
      })),
      ...(conversion !== undefined && { conversion }),
    },
  };
}
