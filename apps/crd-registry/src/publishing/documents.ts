import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import {
  builtinDocuments,
  type KindRegistry,
  openApiDocument,
  type OpenApiDocuments,
  recordedComponents,
} from '@annex/server';
import { crdGroup } from '../definition/crd.ts';
import type { CompiledCrd } from '../served/compiled-crd.ts';
import type { ServedCrds } from '../served/served-crds.ts';
import { publishedSchemas } from './published-schema.ts';
import { resourceDiscovery } from './resource-discovery.ts';

/** The OpenAPI documents of CRDs and of custom resources, one for each served version. Made when they are asked for. */
export function customDocuments(kinds: KindRegistry, served: ServedCrds): OpenApiDocuments {
  const own = builtinDocuments((group) => group === crdGroup);
  const made = new Map<string, { hash: string; document: JsonObject }>();
  const hashOf = (path: string): string => served.at(path).map(generationOf).join(' ');
  return {
    paths: () => [...own.paths(), ...served.paths()],
    hash: (path) => own.hash?.(path) ?? (hashOf(path) || undefined),
    document(path) {
      const builtin = own.document(path);
      if (builtin !== undefined) return builtin;
      const hash = hashOf(path);
      const known = made.get(path);
      if (known?.hash === hash) return known.document;
      made.delete(path);
      if (hash === '') return undefined;
      const document = customDocument(kinds, served.at(path), path);
      made.set(path, { hash, document });
      return document;
    },
  };
}

/** Changes whenever what is published of a CRD does. */
const generationOf = ({ crd: { metadata, status } }: CompiledCrd): string =>
  `${metadata.uid}/${metadata.generation} ${JSON.stringify(status.acceptedNames)}`;

let shared: JsonObject | undefined;

function customDocument(kinds: KindRegistry, crds: readonly CompiledCrd[], path: string): JsonObject {
  const [, group = '', version = ''] = path.split('/');
  const schemas = { ...(shared ??= sharedComponents()) };
  const resources = crds.flatMap(({ crd }) => {
    Object.assign(schemas, publishedSchemas(crd, version));
    const kind = kinds.get(group, version, crd.status.acceptedNames.plural);
    return kind === undefined ? [] : [resourceDiscovery(kind)];
  });
  resources.sort((a, b) => (a.resource < b.resource ? -1 : 1));
  return openApiDocument({ group, version, custom: true, resources, schemas });
}

/** The built-in components that custom resources and their operations refer to. */
function sharedComponents(): JsonObject {
  const recorded = {
    ...recordedComponents('apps', 'v1'),
    ...recordedComponents(crdGroup, 'v1'),
  } as JsonObject;
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
  const roots = ['ObjectMeta', 'ListMeta', 'DeleteOptions', 'Patch', 'Status'].map(
    (name) => `${meta}.${name}`,
  );
  const used = new Set<string>();
  const add = (name: string): void => {
    const component = recorded[name];
    if (used.has(name) || component === undefined) return;
    used.add(name);
    forEachReference(component, add);
  };
  for (const name of [...roots, 'io.k8s.api.autoscaling.v1.Scale']) add(name);
  return Object.fromEntries([...used].sort().map((name) => [name, recorded[name] as JsonValue]));
}

function forEachReference(value: JsonValue, visit: (component: string) => void): void {
  if (Array.isArray(value)) value.forEach((item) => forEachReference(item, visit));
  if (!isObject(value)) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key === '$ref' && typeof inside === 'string') visit(inside.slice(inside.lastIndexOf('/') + 1));
    else forEachReference(inside, visit);
  }
}
