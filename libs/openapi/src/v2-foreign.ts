import { deepEqual, isObject, type JsonObject, type JsonValue, type Passes, setOwn } from '@annex/machinery';
import { definitionPrefix, parameterPrefix, type Parts, selectPaths, type Swagger } from './swagger.ts';
import type { V2Member, V2Section } from './v2.ts';

/** The document that an extension API server adds to the merged document. */
export interface ForeignDocument {
  /** Changes with the document. */
  hash: string;
  /** The paths of the APIService's version, with their definitions. */
  document: Swagger;
}

/** The sections whose members are renamed if they differ from existing members with the same name. */
export const renamedSections = ['definitions', 'parameters'] as const;
type RenamedSection = (typeof renamedSections)[number];
const prefixes: Readonly<Record<RenamedSection, string>> = {
  definitions: definitionPrefix,
  parameters: parameterPrefix,
};

/** The merged document, while documents of extension API servers are added. */
export class MergedMembers {
  readonly #names: Readonly<Record<V2Section, ReadonlySet<string>>>;
  readonly #values: Readonly<Record<V2Section, Map<string, JsonObject>>>;
  readonly #added: Readonly<Record<V2Section, Map<string, JsonObject>>> = empty();

  /**
   * Starts with members of these names; their contents are required only if extension API servers use the
   * same names.
   */
  constructor(names: Readonly<Record<V2Section, ReadonlySet<string>>>, known: Iterable<V2Member>) {
    this.#names = names;
    this.#values = empty();
    for (const [section, name, value] of known) this.#values[section].set(name, value);
  }

  has(section: V2Section, name: string): boolean {
    return this.#added[section].has(name) || this.#names[section].has(name);
  }

  get(section: V2Section, name: string): JsonObject | undefined {
    return this.#added[section].get(name) ?? this.#values[section].get(name);
  }

  set(section: V2Section, name: string, value: JsonObject): void {
    this.#added[section].set(name, value);
  }

  /** Yields all added or changed members. */
  *added(): Generator<V2Member> {
    for (const [section, members] of Object.entries(this.#added)) {
      for (const [name, value] of members) yield [section as V2Section, name, value];
    }
  }
}

const empty = (): Record<V2Section, Map<string, JsonObject>> => ({
  paths: new Map(),
  definitions: new Map(),
  parameters: new Map(),
});

/**
 * Adds the paths that do not exist yet, the definitions and the parameters of a document. If a name is in use
 * with other contents, the member becomes `<name>_v2` and so on. See `mergeSpecs` of k8s.io/kube-openapi. In passes.
 */
export function* addForeign(merged: MergedMembers, whole: Swagger): Passes<void> {
  const isNew = (path: string) => path.startsWith('/') && !merged.has('paths', path);
  const paths = Object.keys(whole.paths ?? {});
  if (!paths.some(isNew)) return;
  const document = paths.every(isNew) ? whole : yield* selectPaths(whole, isNew);
  const renames = new Map<string, string>();
  for (const section of renamedSections) {
    for (const [name, to] of yield* newNames(merged, section, document[section] ?? {})) {
      renames.set(prefixes[section] + name, prefixes[section] + to);
    }
  }
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    yield;
    merged.set('paths', path, rename(item, renames) as JsonObject);
  }
  for (const section of renamedSections) {
    for (const [name, value] of Object.entries(document[section] ?? {})) {
      yield;
      const to = renames.get(prefixes[section] + name)?.slice(prefixes[section].length) ?? name;
      addMember(merged, section, to, rename(value, renames) as JsonObject);
    }
  }
}

/** Returns new names for members whose names are in use with other contents. */
function* newNames(
  merged: MergedMembers,
  section: RenamedSection,
  parts: Parts,
): Passes<Map<string, string>> {
  const isSame = (name: string, value: JsonObject): boolean => {
    const there = merged.get(section, name);
    return there !== undefined && deepEqual(withoutKinds(there), withoutKinds(value));
  };
  const provided = new Map<string, string>();
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(parts)) {
    yield;
    if (!merged.has(section, name) || isSame(name, value)) continue;
    let to = name;
    for (let version = 2; to === name; version++) {
      const candidate = `${name}_v${version}`;
      const isFree = !merged.has(section, candidate) && !Object.hasOwn(parts, candidate);
      if ((isFree && !taken.has(candidate)) || isSame(candidate, value)) to = candidate;
    }
    taken.add(to);
    provided.set(name, to);
  }
  return provided;
}

function addMember(merged: MergedMembers, section: RenamedSection, name: string, value: JsonObject): void {
  const there = merged.get(section, name);
  if (there === undefined) return merged.set(section, name, value);
  const kinds = mergedKinds(there[kindsExtension], value[kindsExtension]);
  if (kinds !== undefined) merged.set(section, name, { ...there, [kindsExtension]: kinds });
}

// The kinds of requests that use an options type differ between servers, but its fields do not.
const kindsExtension = 'x-kubernetes-group-version-kind';

const withoutKinds = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== kindsExtension));

/** Returns the union of the kinds; `undefined` if the second list adds nothing. */
function mergedKinds(ours: JsonValue = [], theirs: JsonValue = []): JsonObject[] | undefined {
  const merged = new Map<string, JsonObject>();
  for (const kind of kindsOf(ours)) merged.set(keyOf(kind), kind);
  const before = merged.size;
  for (const kind of kindsOf(theirs)) if (!merged.has(keyOf(kind))) merged.set(keyOf(kind), kind);
  if (merged.size === before) return undefined;
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

const kindsOf = (value: JsonValue): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const keyOf = ({ group, version, kind }: JsonObject): string =>
  `${String(group)}/${String(version)}.${String(kind)}`;

function rename(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (names.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (!isObject(value)) return value;
  const renamed: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const isReference = name === '$ref' && typeof member === 'string';
    setOwn(renamed, name, isReference ? (names.get(member) ?? member) : rename(member, names));
  }
  return renamed;
}
