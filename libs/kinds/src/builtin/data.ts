import { readFileSync } from 'node:fs';
import { getOwn, type JsonObject, lazily } from '@annex/machinery';

/** A resource in the form of aggregated discovery. */
export interface RecordedResource {
  resource: string;
  responseKind: { group: string; version: string; kind: string };
  scope: 'Namespaced' | 'Cluster';
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: RecordedSubresource[];
}

export interface RecordedSubresource {
  subresource: string;
  responseKind: { group: string; version: string; kind: string };
  verbs: string[];
}

interface RecordedGroup {
  metadata: { name?: string };
  versions: { version: string; resources: RecordedResource[] }[];
}

/** A column definition of a Table. */
export interface RecordedColumn {
  name: string;
  type: string;
  format: string;
  priority: number;
  description: string;
}

/** `components.schemas` of the OpenAPI v3 document of one group version. */
export type RecordedComponents = Record<string, JsonObject>;

export interface RecordedGroupVersion {
  group: string;
  version: string;
  resources: RecordedResource[];
}

const folder = new URL('../../data/', import.meta.url);
const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, folder), 'utf8'));

/** Returns all group-versions in the order of the recorded discovery, the core group first. */
export const recordedGroupVersions: () => RecordedGroupVersion[] = lazily(() => {
  const documents = read('kinds/discovery.json') as Record<'/api' | '/apis', { items: RecordedGroup[] }>;
  return [...documents['/api'].items, ...documents['/apis'].items].flatMap((item) =>
    item.versions.map((v) => ({
      group: item.metadata.name ?? '',
      version: v.version,
      resources: v.resources,
    })),
  );
});

/** Group-versions that kube-apiserver contains but no longer serves. They can be enabled here. */
export const retiredGroupVersions: readonly { group: string; version: string }[] = [
  { group: 'apiextensions.k8s.io', version: 'v1beta1' },
];

const columns = lazily(
  () => read('kinds/table-columns.json') as Record<string, Omit<RecordedColumn, 'description'>[]>,
);

const descriptions = lazily(() => read('column-descriptions.json') as Record<string, Record<string, string>>);

/** The parts of OpenAPI documents that do not depend on kinds. */
export const recordedOpenApi = lazily(
  () => read('openapi.json') as { parameters: Record<string, string>; deleteOptions: string[] },
);

/** The schemas of the documents about the server: groups, versions, server version. */
export const recordedServerComponents = lazily(
  () => (read('server-documents.json') as { schemas: RecordedComponents }).schemas,
);

/** Returns the columns of a resource; none for kinds that are never listed. */
export function recordedColumns(apiVersion: string, resource: string): RecordedColumn[] {
  const key = `${apiVersion}/${resource}`;
  const [own, common] = [getOwn(descriptions(), key), descriptions()['*']];
  return (getOwn(columns(), key) ?? []).map((column) => ({
    ...column,
    description: getOwn(own, column.name) ?? getOwn(common, column.name) ?? '',
  }));
}

/** A field of an internal struct of kube-apiserver: its names in Go and in v1, and its type; see the recording program for the notation. */
type RecordedField = [go: string, v1: string, type: string];

/** The internal structs that errors quote, by name. */
export const recordedInternalTypes = lazily(
  () => read('internal-types.json') as Partial<Record<string, RecordedField[]>>,
);

const components = new Map<string, RecordedComponents>();

/** Returns the schemas of a group-version. Reads them from disk at the first call for that group-version. */
export function recordedComponents(group: string, version: string): RecordedComponents {
  const file =
    group === '' ? `kinds/api_${version}.openapi.json` : `kinds/apis_${group}_${version}.openapi.json`;
  let known = components.get(file);
  if (known === undefined) {
    known = (read(file) as { schemas: RecordedComponents }).schemas;
    components.set(file, known);
  }
  return known;
}

/** Returns the name of the component that declares a kind, or `undefined`. */
export function componentOf(
  schemas: RecordedComponents,
  gvk: { group: string; version: string; kind: string },
) {
  for (const [name, schema] of Object.entries(schemas)) {
    const kinds = schema['x-kubernetes-group-version-kind'] as JsonObject[] | undefined;
    if (kinds?.some((k) => k.group === gvk.group && k.version === gvk.version && k.kind === gvk.kind))
      return name;
  }
  return undefined;
}

/**
 * Returns whether a kind is recorded in a group-version; the types of subresources (Scale, TokenRequest, …)
 * are kinds.
 */
export const isRecordedKind = (group: string, version: string, kind: string): boolean =>
  recordedGroupVersions()
    .filter((gv) => gv.group === group && gv.version === version)
    .some((gv) =>
      gv.resources.some(
        (resource) =>
          resource.responseKind.kind === kind ||
          (resource.subresources ?? []).some((subresource) => subresource.responseKind.kind === kind),
      ),
    ) || recordedGroupVersions().some((gv) => subresourceKinds(gv).has(`${group}/${version}/${kind}`));

const subresourceKinds = (gv: RecordedGroupVersion): Set<string> =>
  new Set(
    gv.resources.flatMap((resource) =>
      (resource.subresources ?? []).map(
        ({ responseKind: { group, version, kind } }) => `${group}/${version}/${kind}`,
      ),
    ),
  );
