import { deepEqual, isObject, type JsonObject, type JsonValue } from '@annex/machinery';
import { membersOfV2, type V2Member } from './v2.ts';
import type { LazyDocument } from './published-documents.ts';

/**
 * What goes into the merged document of one that an extension server wrote: its own paths, where nobody has them yet, and
 * its definitions. One that means something else than that of the same name gets another name, as kube-aggregator gives it.
 */
export async function fitForeign(
  members: Iterable<V2Member>,
  within: string,
  taken: TakenMembers,
): Promise<V2Member[]> {
  const names = new Map<string, string>();
  const fitting: V2Member[] = [];
  for (const [section, name, value] of members) {
    if (section === 'definitions') {
      const fit = await freeName(name, value, taken);
      if (fit.name !== name) names.set(reference(name), reference(fit.name));
      if (fit.isNew) fitting.push([section, fit.name, value]);
    } else if (section !== 'paths' || (`${name}/`.startsWith(within) && !taken.hasPath(name))) {
      fitting.push([section, name, value]);
    }
  }
  if (names.size === 0) return fitting;
  return fitting.map(([section, name, value]) => [section, name, rename(value, names) as JsonObject]);
}

const reference = (name: string): string => `#/definitions/${name}`;

/** The name itself, or one with a number behind it, that nothing else has. */
async function freeName(
  name: string,
  value: JsonObject,
  taken: TakenMembers,
): Promise<{ name: string; isNew: boolean }> {
  for (let version = 1; ; version++) {
    const candidate = version === 1 ? name : `${name}_v${version}`;
    const there = await taken.definition(candidate);
    if (there === undefined) return { name: candidate, isNew: true };
    if (deepEqual(withoutKinds(there), withoutKinds(value))) return { name: candidate, isNew: false };
  }
}

// Which kinds of requests take options differs from server to server, and says nothing of their form.
const kindsExtension = 'x-kubernetes-group-version-kind';

const withoutKinds = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== kindsExtension));

function rename(value: JsonValue, names: ReadonlyMap<string, string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === '$ref' && typeof member === 'string' ? (names.get(member) ?? member) : rename(member, names),
    ]),
  );
}

interface NamedMembers {
  paths: readonly (readonly [name: string, ...rest: unknown[]])[];
  definitions: readonly (readonly [name: string, ...rest: unknown[]])[];
}

/** What is in the merged document so far. A definition of our own is made once more where one of its name is compared. */
export class TakenMembers {
  readonly #documents: ReadonlyMap<string, LazyDocument>;
  readonly #paths: Set<string>;
  /** The document that has a definition, until it is made. */
  readonly #places = new Map<string, string>();
  readonly #definitions = new Map<string, JsonObject>();

  constructor(documents: ReadonlyMap<string, LazyDocument>, own: readonly [string, NamedMembers][]) {
    this.#documents = documents;
    this.#paths = new Set(own.flatMap(([, { paths }]) => paths.map(([name]) => name)));
    for (const [path, { definitions }] of own) {
      for (const [name] of definitions) if (!this.#places.has(name)) this.#places.set(name, path);
    }
  }

  hasPath(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Resolves to `undefined` where the name is free. */
  async definition(name: string): Promise<JsonObject | undefined> {
    const place = this.#places.get(name);
    if (place !== undefined) {
      const document = await this.#documents.get(place)?.load();
      for (const [section, other, value] of document ? membersOfV2(document) : []) {
        if (section !== 'definitions' || this.#places.get(other) !== place) continue;
        this.#places.delete(other);
        this.#definitions.set(other, value);
      }
    }
    return this.#definitions.get(name);
  }

  add(members: readonly V2Member[]): void {
    for (const [section, name, value] of members) {
      if (section === 'paths') this.#paths.add(name);
      else if (section === 'definitions') this.#definitions.set(name, value);
    }
  }
}
