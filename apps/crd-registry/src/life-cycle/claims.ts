import { lazily } from '@annex/machinery';
import { hasSameNames, namesOf, type NameSpace, nameSpaces, type TakenNames } from './accepted-names.ts';
import type { Crd } from '../crd/crd.ts';

/** The CRDs of a group, and which of them have a name. */
interface Group {
  /** The newest form of each CRD, by name. */
  members: Map<string, Crd>;
  owners: Record<NameSpace, Owners>;
  /**
   * The names of CRDs with very many, by the name of the CRD: a CRD may have 50,000 short names. They have no owners, and are a set once
   * another CRD of the group needs it.
   */
  wide: Map<string, Record<NameSpace, () => ReadonlySet<string>>>;
}

/** The CRDs that have a name; a string if it is one, as for nearly all names. */
type Owners = Map<string, string | Set<string>>;

/** The names of a CRD with more than this are claimed and released together. */
const manyNames = 1000;

/** The accepted names of the CRDs of each group, including those of writes in progress. */
export class Claims {
  readonly #groups = new Map<string, Group>();
  /** The last stored form of CRDs that are being written. */
  readonly #stored = new Map<string, Crd>();

  set(crd: Crd): void {
    const name = crd.metadata.name ?? '';
    if (this.#stored.has(name)) this.#stored.set(name, crd);
    else this.#replace(crd.spec.group, name, crd);
  }

  /** Returns the last stored form of a CRD. */
  get({ spec, metadata }: Crd): Crd | undefined {
    const name = metadata.name ?? '';
    return this.#stored.get(name) ?? this.#groups.get(spec.group)?.members.get(name);
  }

  delete({ spec, metadata }: Crd): void {
    const name = metadata.name ?? '';
    this.#stored.delete(name);
    this.#replace(spec.group, name, undefined);
  }

  /** Adds the CRD of a write in progress until the returned function is called. */
  addPending(crd: Crd): () => void {
    const name = crd.metadata.name ?? '';
    const { group } = crd.spec;
    this.#stored.set(name, this.#groups.get(group)?.members.get(name) ?? crd);
    this.#replace(group, name, crd);
    return () => {
      const stored = this.#stored.get(name);
      // It was deleted concurrently.
      if (stored === undefined) return;
      this.#stored.delete(name);
      this.#replace(group, name, stored);
    };
  }

  /** Returns the names that other CRDs of the same group have. */
  takenFrom({ metadata, spec }: Crd): TakenNames {
    const { owners, wide } = this.#groups.get(spec.group) ?? emptyGroup();
    const own = metadata.name ?? '';
    const inSpace = (space: NameSpace) => ({
      has(name: string): boolean {
        for (const [other, names] of wide) if (other !== own && names[space]().has(name)) return true;
        const all = owners[space].get(name);
        if (all === undefined || typeof all === 'string') return all !== undefined && all !== own;
        return all.size > (all.has(own) ? 1 : 0);
      },
    });
    return { resources: inSpace('resources'), kinds: inSpace('kinds') };
  }

  /** Returns the other CRDs of the same group. */
  othersOf({ metadata, spec }: Crd): Crd[] {
    const members = this.#groups.get(spec.group)?.members.values() ?? [];
    return [...members].filter((other) => other.metadata.name !== metadata.name);
  }

  all(): Crd[] {
    return [...this.#groups.values()].flatMap(({ members }) => [...members.values()]);
  }

  #replace(of: string, name: string, crd: Crd | undefined): void {
    const group = this.#groups.get(of) ?? emptyGroup();
    this.#groups.set(of, group);
    const before = group.members.get(name);
    const isSame = before !== undefined && crd !== undefined && hasSameNames(before, crd);
    if (!isSame) {
      releaseAll(group, name, before);
      claimAll(group, name, crd);
    }
    if (crd !== undefined) group.members.set(name, crd);
    else group.members.delete(name);
    if (group.members.size === 0) this.#groups.delete(of);
  }
}

const emptyGroup = (): Group => ({
  members: new Map(),
  owners: { resources: new Map(), kinds: new Map() },
  wide: new Map(),
});

function claimAll({ owners, wide }: Group, name: string, crd: Crd | undefined): void {
  if (crd === undefined) return;
  const [resources, kinds] = [namesOf(crd, 'resources'), namesOf(crd, 'kinds')];
  if (resources.length > manyNames) {
    wide.set(name, { resources: lazily(() => new Set(resources)), kinds: lazily(() => new Set(kinds)) });
    return;
  }
  for (const claimed of resources) claim(owners.resources, claimed, name);
  for (const claimed of kinds) claim(owners.kinds, claimed, name);
}

function releaseAll({ owners, wide }: Group, name: string, crd: Crd | undefined): void {
  if (crd === undefined || wide.delete(name)) return;
  for (const space of nameSpaces)
    for (const claimed of namesOf(crd, space)) release(owners[space], claimed, name);
}

function claim(owners: Owners, claimed: string, name: string): void {
  const names = owners.get(claimed);
  if (names === undefined) owners.set(claimed, name);
  else if (typeof names !== 'string') names.add(name);
  else if (names !== name) owners.set(claimed, new Set([names, name]));
}

function release(owners: Owners, claimed: string, name: string): void {
  const names = owners.get(claimed);
  if (names === name) owners.delete(claimed);
  if (names === undefined || typeof names === 'string') return;
  names.delete(name);
  if (names.size === 0) owners.delete(claimed);
}
