import { isObject, type JsonObject, type JsonValue, type Passes } from '@annex/machinery';
import type { ResourceDiscovery, VersionDiscovery } from '@annex/kinds';
import { versionKey } from './sources.ts';

/** Maximum number of items of one list of a discovery document. kube-apiserver has no limit. */
export const maxListedItems = 50_000;

type Subresource = NonNullable<ResourceDiscovery['subresources']>[number];
type Value = JsonValue | undefined;

// Missing members and null are Go's zero value. Values of another type make the document invalid. Unknown members are dropped, as
// kube-apiserver does.
const isMissing = (value: Value): value is null | undefined => value === undefined || value === null;

function textOf(value: Value): string {
  if (isMissing(value)) return '';
  if (typeof value !== 'string') throw new Error('it has another value where a string is expected');
  return value;
}

function objectOf(value: Value): JsonObject {
  if (isMissing(value)) return {};
  if (!isObject(value)) throw new Error('it has another value where an object is expected');
  return value;
}

function listOf<T>(value: Value, read: (item: Value) => T): T[] {
  if (isMissing(value)) return [];
  if (!Array.isArray(value)) throw new Error('it has another value where a list is expected');
  if (value.length > maxListedItems) throw new Error(`it has a list of more than ${maxListedItems} items`);
  return value.map(read);
}

/** Returns verbs, or null (as Go does) if they are missing. */
const verbsOf = (value: Value): string[] => (isMissing(value) ? null : listOf(value, textOf)) as string[];

const kindOf = (value: Value): ResourceDiscovery['responseKind'] => {
  const { group, version, kind } = objectOf(value);
  return { group: textOf(group), version: textOf(version), kind: textOf(kind) };
};

/** Removes empty lists. */
const filled = <T extends Readonly<Record<string, readonly unknown[]>>>(lists: T): Partial<T> =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) as Partial<T>;

/** Parses an APIGroupDiscoveryList into its versions by `group/version`, in passes. Throws if it is invalid. */
export function* readAggregated(document: JsonObject): Passes<ReadonlyMap<string, VersionDiscovery>> {
  const found = new Map<string, VersionDiscovery>();
  for (const { metadata, versions } of listOf(document.items, objectOf)) {
    yield;
    const group = textOf(objectOf(metadata).name);
    for (const one of listOf(versions, objectOf)) {
      const version = textOf(one.version);
      const resources = yield* listInPasses(one.resources, resourceOf);
      found.set(versionKey(group, version), { version, resources });
    }
  }
  return found;
}

/** Reads each item of a list in a pass. */
function* listInPasses<T>(value: Value, read: (item: Value) => Passes<T>): Passes<T[]> {
  const items: T[] = [];
  for (const item of listOf(value, (item) => item)) {
    yield;
    items.push(yield* read(item));
  }
  return items;
}

function* resourceOf(value: Value): Passes<ResourceDiscovery> {
  const { resource, responseKind, scope, singularResource, verbs, ...lists } = objectOf(value);
  return {
    resource: textOf(resource),
    responseKind: kindOf(responseKind),
    scope: textOf(scope) as ResourceDiscovery['scope'],
    singularResource: textOf(singularResource),
    verbs: verbsOf(verbs),
    ...filled({
      shortNames: listOf(lists.shortNames, textOf),
      categories: listOf(lists.categories, textOf),
      subresources: yield* listInPasses(lists.subresources, subresourceOf),
    }),
  };
}

function* subresourceOf(value: Value): Passes<Subresource> {
  const { subresource, responseKind, acceptedTypes, verbs } = objectOf(value);
  yield;
  return {
    subresource: textOf(subresource),
    responseKind: kindOf(responseKind),
    ...filled({ acceptedTypes: listOf(acceptedTypes, kindOf) }),
    verbs: verbsOf(verbs),
  };
}

/** Converts `resources[]` of an APIResourceList to the aggregated form, in passes. Throws if they contradict each other. */
export function* readLegacy({ resources }: JsonObject): Passes<ResourceDiscovery[]> {
  const entries: LegacyEntry[] = [];
  for (const entry of listOf(resources, (item) => item)) {
    yield;
    entries.push(legacyEntry(entry));
  }
  yield;
  const found = new Map<string, ResourceDiscovery>();
  for (const { subresource, resource } of entries) {
    if (subresource === undefined) found.set(resource.resource, resource);
  }
  for (const { subresource, resource } of entries) {
    if (subresource === undefined) continue;
    const { resource: name, scope, responseKind, verbs } = resource;
    const parent = found.get(name) ?? orphaned(name, scope);
    found.set(name, parent);
    if (parent.scope !== scope) throw new Error(`${name} and its ${subresource} have different scopes`);
    (parent.subresources ??= []).push({ subresource, responseKind, verbs });
  }
  return [...found.values()];
}

interface LegacyEntry {
  resource: ResourceDiscovery;
  subresource?: string;
}

/** Parses an entry of the list; the name of a subresource begins with its resource and a slash. */
function legacyEntry(value: Value): LegacyEntry {
  const entry = objectOf(value);
  const name = textOf(entry.name);
  const slash = name.indexOf('/');
  const resource: ResourceDiscovery = {
    resource: slash < 0 ? name : name.slice(0, slash),
    responseKind: kindOf(entry),
    scope: entry.namespaced === true ? 'Namespaced' : 'Cluster',
    singularResource: textOf(entry.singularName),
    verbs: verbsOf(entry.verbs),
    ...filled({
      shortNames: listOf(entry.shortNames, textOf),
      categories: listOf(entry.categories, textOf),
    }),
  };
  return slash < 0 ? { resource } : { resource, subresource: name.slice(slash + 1) };
}

/** Returns the resource of a subresource that is listed without its resource. */
const orphaned = (resource: string, scope: ResourceDiscovery['scope']): ResourceDiscovery => ({
  resource,
  responseKind: { group: '', version: '', kind: '' },
  scope,
  singularResource: '',
  verbs: verbsOf(null),
});
