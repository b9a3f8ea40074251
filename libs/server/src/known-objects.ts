import type { KubeObject } from '@annex/machinery';

/** An object that is followed. The same object is the same value, until it changes. */
export interface KnownObject {
  readonly object: KubeObject;
}

/** Objects that are followed: as much of a watch cache as an informer has too. */
export interface KnownObjects {
  /** Resolves when they are known as of a revision; by default, where that can be found out, as they are now. */
  waitFor(revision?: number): Promise<void>;
  /** 0 as long as they are not known. */
  readonly revision: number;
  readonly size: number;
  get(key: string): { value: KnownObject } | undefined;
  /** Those whose keys begin so, in the order of their keys. */
  list(prefix: string): { entries: readonly { value: KnownObject }[] };
}
