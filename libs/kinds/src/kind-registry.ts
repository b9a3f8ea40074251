import type { GroupVersion } from './discovery-source.ts';
import type { ResourceKind } from './resource-kind.ts';

/** The identity of a kind in a registry. */
type KindNames = Pick<ResourceKind, 'group' | 'version' | 'resource'>;

/** The kinds that an app serves, by group, version and resource. */
export class KindRegistry {
  readonly #groups = new Map<string, Map<string, ResourceKind>>();
  /** The number of kinds of each version. */
  readonly #versions = new Map<string, { of: GroupVersion; kinds: number }>();
  readonly #listeners = new Set<(group: string) => void>();

  /** Adds a kind, or replaces the one with the same names. */
  add(kind: ResourceKind): void {
    const kinds = this.#groups.get(kind.group) ?? new Map<string, ResourceKind>();
    this.#groups.set(kind.group, kinds);
    const key = keyOf(kind);
    if (!kinds.has(key)) this.#count(kind, 1);
    kinds.set(key, kind);
    this.#changed(kind.group);
  }

  /** Removes a kind, if it exists. */
  remove(kind: KindNames): void {
    const kinds = this.#groups.get(kind.group);
    if (!kinds?.delete(keyOf(kind))) return;
    if (kinds.size === 0) this.#groups.delete(kind.group);
    this.#count(kind, -1);
    this.#changed(kind.group);
  }

  get(group: string, version: string, resource: string): ResourceKind | undefined {
    return this.#groups.get(group)?.get(keyOf({ version, resource }));
  }

  /** Returns whether any kind of that version is served. */
  hasVersion(group: string, version: string): boolean {
    return this.#versions.has(`${group}/${version}`);
  }

  /** Returns the versions with kinds, in the order of their first kinds. */
  groupVersions(): GroupVersion[] {
    return Array.from(this.#versions.values(), ({ of }) => of);
  }

  /** Returns whether any kind of that group is served. */
  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  /** Returns the names of the groups, in the order of their first kinds. */
  groups(): Iterable<string> {
    return this.#groups.keys();
  }

  /** Returns the kinds of a group, in the order in which they were added. */
  ofGroup(group: string): Iterable<ResourceKind> {
    return this.#groups.get(group)?.values() ?? [];
  }

  /** Returns all kinds, group by group. */
  *kinds(): Iterable<ResourceKind> {
    for (const kinds of this.#groups.values()) yield* kinds.values();
  }

  /** Calls the listener with the changed group after every change. Returns a function that removes it. */
  onChange(listener: (group: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #count({ group, version }: KindNames, by: number): void {
    const key = `${group}/${version}`;
    const counted = this.#versions.get(key) ?? { of: { group, version }, kinds: 0 };
    counted.kinds += by;
    if (counted.kinds === 0) this.#versions.delete(key);
    else this.#versions.set(key, counted);
  }

  #changed(group: string): void {
    for (const listener of this.#listeners) listener(group);
  }
}

const keyOf = ({ version, resource }: Omit<KindNames, 'group'>): string => `${version}/${resource}`;
