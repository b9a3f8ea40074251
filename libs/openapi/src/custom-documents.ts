import { type JsonObject, parseGroupVersion, setAllOwn } from '@annex/machinery';
import {
  type PublishedKind,
  type RecordedComponents,
  recordedComponents,
  recordedOpenApi,
  type ResourceDiscovery,
  withReferences,
} from '@annex/kinds';
import { describedComponents } from './descriptions.ts';
import { openApiDocumentInTurns } from './document.ts';
import { createPacer } from '@annex/runtime';
import { publishedSchemas } from './published-schema.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** A version whose kinds have structural schemas. */
export interface CustomVersion {
  group: string;
  version: string;
  resources: readonly ResourceDiscovery[];
  published: readonly PublishedKind[];
}

/** Returns the OpenAPI v3 document of a version whose kinds have structural schemas. */
export async function customOpenApi(of: CustomVersion): Promise<JsonObject> {
  const { group, version, resources, published } = of;
  const schemas = { ...sharedComponents(resources.some(isScaled)) };
  const pace = createPacer();
  for (const kind of published) {
    setAllOwn(schemas, publishedSchemas(kind));
    const pause = pace();
    if (pause) await pause;
  }
  const listKinds = new Map(published.map(({ plural, listKind }) => [plural, listKind]));
  return await openApiDocumentInTurns({ group, version, custom: true, resources, schemas, listKinds });
}

/** Returns whether a resource has the subresource `scale`. */
export const isScaled = ({ subresources = [] }: ResourceDiscovery): boolean =>
  subresources.some(({ subresource }) => subresource === 'scale');

/**
 * Returns the built-in components that custom resources and their operations refer to: the same for every
 * document.
 */
export function sharedComponents(hasScale: boolean): JsonObject {
  let made = shared.get(hasScale);
  if (made === undefined) shared.set(hasScale, (made = makeSharedComponents(hasScale)));
  return made;
}

const shared = new Map<boolean, JsonObject>();

function makeSharedComponents(hasScale: boolean): JsonObject {
  const recorded = {
    ...recordedComponents('apps', 'v1'),
    ...recordedComponents('apiextensions.k8s.io', 'v1'),
  };
  const roots = ['ObjectMeta', 'ListMeta', 'DeleteOptions', 'Patch', 'Status'].map(
    (name) => `${meta}.${name}`,
  );
  const scale = hasScale ? ['io.k8s.api.autoscaling.v1.Scale'] : [];
  const shown = withReferences(recorded, [...roots, ...scale]).map(([name, component]) => [
    name,
    ofEveryVersion(name, component),
  ]);
  return describedComponents(Object.fromEntries(shown) as RecordedComponents);
}

/**
 * Declares a schema as part of every group-version. DeleteOptions belong to all versions of all groups except
 * those of custom resources.
 */
function ofEveryVersion(name: string, schema: JsonObject): JsonObject {
  if (name !== `${meta}.DeleteOptions`) return schema;
  const versions = recordedOpenApi().deleteOptions.map(parseGroupVersion);
  const kinds = versions.map(({ group, version }) => ({ group, kind: 'DeleteOptions', version }));
  return { ...schema, 'x-kubernetes-group-version-kind': kinds };
}
