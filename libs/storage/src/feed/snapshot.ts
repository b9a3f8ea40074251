import type { CacheSnapshot } from '../cache-types.ts';
import type { SortedMap } from '../sorted-map.ts';
import { type PastEvent, readEvent } from './past-event.ts';
import { covers } from './prefixes.ts';

/** What a snapshot reads: the entries of today, and the events since. */
export interface SnapshotSource<T> {
  entries: SortedMap<{ value: T }>;
  /** Returns the events after a revision, `undefined` if they are no longer known. */
  after(revision: number): readonly PastEvent<T>[] | undefined;
}

/** The entries under a prefix at an earlier revision: those of today, without the events since. */
export class Snapshot<T> implements CacheSnapshot<T> {
  readonly #source: SnapshotSource<T>;
  readonly #prefix: string;
  /** The values at the revision of the keys that changed since; `undefined` if there was no such key. */
  readonly #changed = new Map<string, T | undefined>();
  /** The changed keys that were there, in order. */
  #former: string[] = [];
  #until: number;

  constructor(source: SnapshotSource<T>, prefix: string, revision: number) {
    this.#source = source;
    this.#prefix = prefix;
    this.#until = revision;
  }

  page(startKey: string, limit: number): { key: string; value: T }[] | undefined {
    if (!this.#readEvents()) return undefined;
    const page: { key: string; value: T }[] = [];
    let at = this.#former.findIndex((key) => key >= startKey);
    if (at < 0) at = this.#former.length;
    const takeFormer = (before: string | undefined) => {
      for (; page.length < limit; at++) {
        const key = this.#former[at];
        if (key === undefined || (before !== undefined && key > before)) return;
        page.push({ key, value: this.#changed.get(key)! });
      }
    };
    this.#source.entries.scan(this.#prefix, startKey, (key, { value }) => {
      if (!covers(this.#prefix, key)) return false;
      takeFormer(key);
      if (page.length < limit && !this.#changed.has(key)) page.push({ key, value });
      return page.length < limit;
    });
    takeFormer(undefined);
    return page;
  }

  count(startKey: string): number {
    const isAfter = (key: string) => key >= startKey;
    const present = [...this.#changed.keys()].filter((key) => isAfter(key) && this.#source.entries.get(key));
    const now = this.#source.entries.count(this.#prefix, startKey);
    return now - present.length + this.#former.filter(isAfter).length;
  }

  /** Reads the events since the last page. Returns false if they are not known. */
  #readEvents(): boolean {
    const events = this.#source.after(this.#until);
    if (events === undefined) return false;
    let isNew = false;
    for (const past of events) {
      const event = readEvent(past);
      this.#until = event.revision;
      if (!covers(this.#prefix, event.key) || this.#changed.has(event.key)) continue;
      if (event.type !== 'added' && event.previous === undefined) return false;
      this.#changed.set(event.key, event.previous);
      isNew = true;
    }
    if (isNew) this.#former = [...this.#changed].flatMap(([key, then]) => (then ? [key] : [])).sort();
    return true;
  }
}
