import type { History, Version, WatchedEvent } from './history.ts';

/** All changes that watches have received, in the order of their revisions. */
export class ChangeLog {
  readonly events: readonly WatchedEvent[];
  /** Contradictions between watches. */
  readonly violations: readonly string[];
  readonly #start: History['start'];
  /** The versions of each object; `undefined` where it was deleted. */
  readonly #versions = new Map<string, { revision: number; version: Version | undefined }[]>();

  constructor({ start, watches }: Pick<History, 'start' | 'watches'>) {
    const byRevision = new Map<number, WatchedEvent>();
    const violations: string[] = [];
    for (const { client, received } of watches) {
      for (const event of received) {
        if (event.type === 'BOOKMARK') continue;
        const other = byRevision.get(event.revision);
        if (other === undefined) byRevision.set(event.revision, event);
        else if (textOf(other) !== textOf(event))
          violations.push(`${client} received ${textOf(event)}, another watch ${textOf(other)}`);
      }
    }
    this.#start = start;
    this.violations = violations;
    this.events = [...byRevision.values()].sort((a, b) => a.revision - b.revision);
    for (const [key, version] of start.items)
      this.#versions.set(key, [{ revision: version.revision, version }]);
    for (const { type, key, value, revision } of this.events) {
      const versions = this.#versions.get(key) ?? [];
      this.#versions.set(key, versions);
      versions.push({ revision, version: type === 'DELETED' ? undefined : { value, revision } });
    }
  }

  /** Returns the object at a revision; `undefined` if there is none. */
  at(key: string, revision: number): Version | undefined {
    const versions = this.#versions.get(key) ?? [];
    return versions[lastAt(versions, revision)]?.version;
  }

  /** Returns all states of an object between two revisions, the first one included. */
  between(key: string, first: number, last: number): (Version | undefined)[] {
    const versions = this.#versions.get(key) ?? [];
    const begin = lastAt(versions, first);
    const later = versions.slice(Math.max(begin, 0), lastAt(versions, last) + 1);
    return [...(begin < 0 ? [undefined] : []), ...later.map(({ version }) => version)];
  }

  /** Returns all objects at a revision. */
  objectsAt(revision: number): Map<string, Version> {
    const objects = new Map<string, Version>();
    for (const key of this.#versions.keys()) {
      const version = this.at(key, revision);
      if (version !== undefined) objects.set(key, version);
    }
    return objects;
  }

  /** Returns the events after a revision, up to another one. */
  after(from: number, to: number): readonly WatchedEvent[] {
    return this.events.slice(lastAt(this.events, from) + 1, lastAt(this.events, to) + 1);
  }

  get firstRevision(): number {
    return this.#start.revision;
  }
}

export const textOf = ({ type, key, value, revision }: WatchedEvent): string =>
  `${type} ${key} ${value} at ${revision}`;

/** Returns the index of the last one that is not later than a revision; -1 if there is none. */
function lastAt(list: readonly { revision: number }[], revision: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]!.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
