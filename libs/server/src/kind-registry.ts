import type { ResourceKind } from './resource-kind.ts';

/** The kinds that an app serves at this moment, by group, version and resource. */
export class KindRegistry {
  readonly #kinds = new Map<string, ResourceKind>();
  readonly #versions = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  /** Adds a kind, or replaces the one of the same names. */
  add(kind: ResourceKind): void {
    const key = kindKey(kind.group, kind.version, kind.resource);
    if (!this.#kinds.has(key)) this.#count(kind, 1);
    this.#kinds.set(key, kind);
    this.#changed();
  }

  /** Removes a kind; one that is not there is no error. */
  remove(kind: Pick<ResourceKind, 'group' | 'version' | 'resource'>): void {
    if (!this.#kinds.delete(kindKey(kind.group, kind.version, kind.resource))) return;
    this.#count(kind, -1);
    this.#changed();
  }

  get(group: string, version: string, resource: string): ResourceKind | undefined {
    return this.#kinds.get(kindKey(group, version, resource));
  }

  /** True when any kind of that version is served. */
  hasVersion(group: string, version: string): boolean {
    return this.#versions.has(`${group}/${version}`);
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  /** In the order in which they were added. */
  kinds(): Iterable<ResourceKind> {
    return this.#kinds.values();
  }

  /** Calls the listener after every change; returns the function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #count(kind: Pick<ResourceKind, 'group' | 'version'>, by: number): void {
    for (const [map, key] of [
      [this.#versions, `${kind.group}/${kind.version}`],
      [this.#groups, kind.group],
    ] as const) {
      const left = (map.get(key) ?? 0) + by;
      if (left === 0) map.delete(key);
      else map.set(key, left);
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

const kindKey = (group: string, version: string, resource: string): string =>
  `${group}/${version}/${resource}`;
