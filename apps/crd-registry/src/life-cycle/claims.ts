import type { Crd } from '../definition/crd.ts';

/** The CRDs of each group with the names that they hold, or will hold when what is being written is there. */
export class Claims {
  readonly #groups = new Map<string, Map<string, Crd>>();
  /** By name: CRDs as they are being written. */
  readonly #foreseen = new Map<string, Crd>();

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

  /** Counts a CRD as it is about to be, until the returned function is called. */
  foresee(crd: Crd): () => void {
    const name = crd.metadata.name ?? '';
    this.#foreseen.set(name, crd);
    return () => void this.#foreseen.delete(name);
  }

  /** The other CRDs of the same group. */
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
    return this.#foreseen.get(name) ?? (this.#groups.get(group)?.get(name) as Crd);
  }
}
