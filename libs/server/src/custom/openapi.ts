import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import type { ResourceDiscovery } from '../app.ts';
import { type RecordedComponents, recordedComponents } from '../builtin/data.ts';
import { describedComponents } from '../builtin/descriptions.ts';
import { openApiDocument } from '../builtin/openapi-document.ts';
import { type PublishedKind, publishedSchemas } from './published-schema.ts';

/** What the document of a version is made from whose kinds are defined by structural schemas. */
export interface CustomVersion {
  group: string;
  version: string;
  resources: readonly ResourceDiscovery[];
  published: readonly PublishedKind[];
}

let shared: JsonObject | undefined;

/** The OpenAPI v3 document of a version whose kinds are defined by structural schemas. */
export function customOpenApi({ group, version, resources, published }: CustomVersion): JsonObject {
  const schemas = { ...(shared ??= sharedComponents()) };
  for (const kind of published) Object.assign(schemas, publishedSchemas(kind));
  return openApiDocument({ group, version, custom: true, resources, schemas });
}

/** The built-in components that custom resources and their operations refer to. */
function sharedComponents(): JsonObject {
  const recorded = {
    ...recordedComponents('apps', 'v1'),
    ...recordedComponents('apiextensions.k8s.io', 'v1'),
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
  const shown = [...used].sort().map((name) => [name, recorded[name] as JsonObject]);
  return describedComponents(Object.fromEntries(shown) as RecordedComponents);
}

function forEachReference(value: JsonValue, visit: (component: string) => void): void {
  if (Array.isArray(value)) value.forEach((item) => forEachReference(item, visit));
  if (!isObject(value)) return;
  for (const [key, inside] of Object.entries(value)) {
    if (key === '$ref' && typeof inside === 'string') visit(inside.slice(inside.lastIndexOf('/') + 1));
    else forEachReference(inside, visit);
  }
}
