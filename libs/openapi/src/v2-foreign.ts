import { deepEqual, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { definitionPrefix, parameterPrefix, type Parts, selectPaths, type Swagger } from './swagger.ts';
import type { V2Member, V2Section } from './v2.ts';

/** What an extension server adds to the merged document. */
export interface ForeignDocument {
  /** Changes with the document. */
  hash: string;
  /** The paths of its own version, and what belongs to them. */
  document: Swagger;
}

/** The sections whose members are renamed where they mean something else than those of the same name. */
export const renamedSections = ['definitions', 'parameters'] as const;
type RenamedSection = (typeof renamedSections)[number];
const prefixes: Readonly<Record<RenamedSection, string>> = {
  definitions: definitionPrefix,
  parameters: parameterPrefix,
};

/** The merged document while foreign ones are added to it. */
export class MergedMembers {
  readonly #names: Readonly<Record<V2Section, ReadonlySet<string>>>;
  readonly #values: Readonly<Record<V2Section, Map<string, JsonObject>>>;
  readonly #added: Readonly<Record<V2Section, Map<string, JsonObject>>> = empty();

  /** Starts with members of these names, of which it needs to know those that foreign documents have too. */
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

  /** Everything that was added or changed. */
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
 * Adds a document: its paths, where nobody has them yet, its definitions and its parameters. What has the name of something
 * else gets another name, `<name>_v2` and so on. See `mergeSpecs` of k8s.io/kube-openapi.
 */
export function addForeign(merged: MergedMembers, whole: Swagger): void {
  const isNew = (path: string) => path.startsWith('/') && !merged.has('paths', path);
  const paths = Object.keys(whole.paths ?? {});
  if (!paths.some(isNew)) return;
  const document = paths.every(isNew) ? whole : selectPaths(whole, isNew);
  const renames = new Map<string, string>();
  for (const section of renamedSections) {
    for (const [name, to] of newNames(merged, section, document[section] ?? {})) {
      renames.set(prefixes[section] + name, prefixes[section] + to);
    }
  }
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    merged.set('paths', path, rename(item, renames) as JsonObject);
  }
  for (const section of renamedSections) {
    for (const [name, value] of Object.entries(document[section] ?? {})) {
      const to = renames.get(prefixes[section] + name)?.slice(prefixes[section].length) ?? name;
      addMember(merged, section, to, rename(value, renames) as JsonObject);
    }
  }
}

/** The names that members get whose own name belongs to something else. */
function newNames(merged: MergedMembers, section: RenamedSection, parts: Parts): Map<string, string> {
  const isSame = (name: string, value: JsonObject): boolean => {
    const there = merged.get(section, name);
    return there !== undefined && deepEqual(withoutKinds(there), withoutKinds(value));
  };
  const provided = new Map<string, string>();
  const taken = new Set<string>();
  for (const [name, value] of Object.entries(parts)) {
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

// Which kinds of requests take options differs from server to server, and says nothing of their form.
const kindsExtension = 'x-kubernetes-group-version-kind';

const withoutKinds = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== kindsExtension));

/** The kinds of both; `undefined` where the second ones bring nothing new. */
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
