import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import {
  builtinDocuments,
  type KindRegistry,
  openApiDocument,
  type OpenApiDocuments,
  recordedComponents,
} from '@annex/server';
import { crdGroup } from '../definition/crd.ts';
import type { ServedCrds } from '../served/served-crds.ts';
import { publishedSchemas } from './published-schema.ts';
import { resourceDiscovery } from './resource-discovery.ts';

/** The OpenAPI documents of CRDs and of custom resources, one for each served version. Made when they are asked for. */
export function customDocuments(kinds: KindRegistry, served: ServedCrds): OpenApiDocuments {
  const own = builtinDocuments((group) => group === crdGroup);
  const made = new Map<string, JsonObject>();
  kinds.onChange(() => made.clear());
  return {
    paths() {
      const custom = [...kinds.kinds()].filter((kind) => kind.custom);
      return [...own.paths(), ...new Set(custom.map((kind) => `apis/${kind.group}/${kind.version}`))];
    },
    document(path) {
      const known = own.document(path) ?? made.get(path);
      if (known !== undefined) return known;
      const [, group = '', version = ''] = path.split('/');
      const document = customDocument(kinds, served, group, version);
      if (document !== undefined) made.set(path, document);
      return document;
    },
  };
}

function customDocument(
  kinds: KindRegistry,
  served: ServedCrds,
  group: string,
  version: string,
): JsonObject | undefined {
  const own = [...kinds.kinds()].filter(
    (kind) => kind.custom && kind.group === group && kind.version === version,
  );
  if (own.length === 0) return undefined;
  const schemas: JsonObject = {};
  for (const kind of own) {
    const compiled = served.get(`${kind.resource}.${kind.group}`);
    if (compiled !== undefined) Object.assign(schemas, publishedSchemas(compiled.crd, version));
  }
  return openApiDocument({
    group,
    version,
    custom: true,
    resources: own.map(resourceDiscovery).sort((a, b) => (a.resource < b.resource ? -1 : 1)),
    schemas: { ...sharedComponents(), ...schemas },
  });
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
