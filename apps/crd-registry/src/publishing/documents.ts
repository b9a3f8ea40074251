import type { JsonObject } from '@annex/machinery';
import { builtinDocuments, customOpenApi } from '@annex/openapi';
import {
  type CustomKind,
  type KindRegistry,
  type OpenApiDocuments,
  type PublishedKind,
  resourceDiscovery,
} from '@annex/kinds';
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
      const custom = served.at(path);
      const document = own.document(path);
      if (document !== undefined || custom.length === 0) return document;
      return customDocument(customKinds(kinds, custom, path), path);
    },
    kinds(path) {
      const custom = served.at(path);
      const isBuiltin = own.hash?.(path) !== undefined;
      return isBuiltin || custom.length === 0 ? undefined : customKinds(kinds, custom, path);
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

function customDocument(kinds: readonly CustomKind[], path: string): Promise<JsonObject> {
  const [, group = '', version = ''] = path.split('/');
  const resources = kinds.flatMap(({ resource }) => resource ?? []);
  return customOpenApi({ group, version, resources, published: kinds.map(({ published }) => published) });
}

/** Returns the kinds of a version, by resource. */
function customKinds(kinds: KindRegistry, crds: readonly CompiledCrd[], path: string): CustomKind[] {
  const [, group = '', version = ''] = path.split('/');
  const found = crds.map((compiled) => {
    const published = publishedKind(compiled, version);
    const kind = kinds.get(group, version, published.plural);
    return { published, resource: kind && resourceDiscovery(kind) };
  });
  return found.sort((a, b) => (a.published.plural < b.published.plural ? -1 : 1));
}

const publishedKinds = new WeakMap<CompiledCrd, Map<string, PublishedKind>>();

/** Returns the same object until the CRD changes. */
function publishedKind(compiled: CompiledCrd, version: string): PublishedKind {
  let versions = publishedKinds.get(compiled);
  if (versions === undefined) publishedKinds.set(compiled, (versions = new Map<string, PublishedKind>()));
  let published = versions.get(version);
  if (published === undefined) versions.set(version, (published = publish(compiled.crd, version)));
  return published;
}

function publish(crd: Crd, name: string): PublishedKind {
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
