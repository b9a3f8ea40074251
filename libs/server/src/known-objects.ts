import type { KubeObject } from '@annex/machinery';

/** An object that is followed. The identity of the value changes only with the object. */
export interface KnownObject {
  readonly object: KubeObject;
}

/** Objects that are followed: the part of a watch cache's interface that an informer also has. */
export interface KnownObjects {
  /**
   * Resolves when the objects are at least as new as the revision; by default as the newest one, if the
   * source can determine it.
   */
  waitFor(revision?: number): Promise<void>;
  /** 0 until the first list is complete. */
  readonly revision: number;
  readonly size: number;
  get(key: string): { value: KnownObject } | undefined;
  /** Returns the objects whose keys have the prefix, in the order of their keys. */
  list(prefix: string): { entries: readonly { value: KnownObject }[] };
}
