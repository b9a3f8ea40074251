import type { Crd } from '../crd/crd.ts';

/** The CRDs of each group with their names, including those of writes in progress. */
export class Claims {
  readonly #groups = new Map<string, Map<string, Crd>>();
  /** CRDs that are being written, by name. */
  readonly #pending = new Map<string, Crd>();

  set(crd: Crd): void {
    const { group } = crd.spec;
    let members = this.#groups.get(group);
    if (members === undefined) this.#groups.set(group, (members = new Map<string, Crd>()));
    members.set(crd.metadata.name ?? '', crd);
  }

  delete({ spec, metadata }: Crd): void {
    const members = this.#groups.get(spec.group);
    members?.delete(metadata.name ?? '');
    if (members?.size === 0) this.#groups.delete(spec.group);
  }

  /** Adds the CRD of a write in progress until the returned function is called. */
  addPending(crd: Crd): () => void {
    const name = crd.metadata.name ?? '';
    this.#pending.set(name, crd);
    return () => void this.#pending.delete(name);
  }

  /** Returns the other CRDs of the same group. */
  othersOf({ metadata, spec }: Crd): Crd[] {
    const members = this.#groups.get(spec.group)?.keys() ?? [];
    return [...members]
      .filter((name) => name !== metadata.name)
      .map((name) => this.#newest(spec.group, name));
  }

  all(): Crd[] {
    return [...this.#groups.values()].flatMap((members) => [...members.values()]);
  }

  #newest(group: string, name: string): Crd {
    return this.#pending.get(name) ?? (this.#groups.get(group)?.get(name) as Crd);
  }
}
