import type { JsonObject } from '@annex/machinery';
import { builtinDocuments, customOpenApi, type PublishedKind } from '@annex/openapi';
import { type KindRegistry, type OpenApiDocuments, resourceDiscovery } from '@annex/kinds';
import { type Crd, crdGroup, versionsOf } from '../crd/crd.ts';
import type { CompiledCrd } from '../served/compiled-crd.ts';
import type { ServedCrds } from '../served/served-crds.ts';

/**
 * Returns the OpenAPI documents of CRDs and of custom resources, one for each served version. They are built on request and not cached;
 * callers cache the result.
 */
export function customDocuments(kinds: KindRegistry, served: ServedCrds): OpenApiDocuments {
  const own = builtinDocuments(kinds, (group) => group === crdGroup);
  const hashOf = (path: string): string => served.at(path).map(generationOf).join(' ');
  return {
    paths: () => [...own.paths(), ...served.paths()],
    hash: (path) => own.hash?.(path) ?? (hashOf(path) || undefined),
    document(path) {
      const crds = served.at(path);
      return own.document(path) ?? (crds.length > 0 ? customDocument(kinds, crds, path) : undefined);
    },
  };
}

const generations = new WeakMap<CompiledCrd, string>();

/** Returns a value that changes whenever the published schema of a CRD changes. */
function generationOf(compiled: CompiledCrd): string {
  let generation = generations.get(compiled);
  if (generation === undefined) {
    const { metadata, status } = compiled.crd;
    generation = `${metadata.uid}/${metadata.generation} ${JSON.stringify(status.acceptedNames)}`;
    generations.set(compiled, generation);
  }
  return generation;
}

function customDocument(
  kinds: KindRegistry,
  crds: readonly CompiledCrd[],
  path: string,
): Promise<JsonObject> {
  const [, group = '', version = ''] = path.split('/');
  const resources = crds.flatMap(({ crd }) => {
    const kind = kinds.get(group, version, crd.status.acceptedNames.plural);
    return kind === undefined ? [] : [resourceDiscovery(kind)];
  });
  resources.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  const published = crds.map(({ crd }) => publishedKind(crd, version));
  return customOpenApi({ group, version, resources, published });
}

function publishedKind(crd: Crd, name: string): PublishedKind {
  const { kind, plural, listKind = `${kind}List` } = crd.status.acceptedNames;
  const version = versionsOf(crd).find((candidate) => candidate.name === name);
  return {
    group: crd.spec.group,
    version: name,
    kind,
    listKind,
    plural,
    schema: crd.spec.preserveUnknownFields ? undefined : version?.schema?.openAPIV3Schema,
    selectableFields: version?.selectableFields?.map(({ jsonPath }) => jsonPath),
  };
}
