import type { OwnerReference } from '@annex/machinery';
import { nullLogger } from '@annex/runtime';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AbsentOwners } from './absent-owners.ts';
import { Collector } from './collector.ts';
import type { GraphNode } from './graph-node.ts';
import { OwnershipGraph } from './ownership-graph.ts';
import { World, type WorldObject, worldRequests } from './world.fixture.ts';

const kinds = ['One', 'Two'];
const hold = 'ex.com/hold';

/** A step of a simulation; numbers select one of the objects created so far. */
type Action =
  | {
      do: 'create';
      kind: number;
      owners: { which: number; blocks: boolean; exists: boolean }[];
      held: boolean;
    }
  | { do: 'delete'; which: number; policy: 'Background' | 'Foreground' | 'Orphan' }
  | { do: 'release'; which: number }
  | { do: 'disown'; which: number }
  | { do: 'tell'; kind: number }
  | { do: 'collect' };

const which = fc.nat({ max: 30 });
const actions: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    kind: fc.nat({ max: 1 }),
    owners: fc.array(
      fc.record({ which, blocks: fc.boolean(), exists: fc.integer({ min: 0, max: 9 }).map((n) => n > 0) }),
      { maxLength: 2 },
    ),
    held: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  fc.record({
    do: fc.constant('delete' as const),
    which,
    policy: fc.constantFrom('Background' as const, 'Foreground' as const, 'Orphan' as const),
  }),
  fc.record({ do: fc.constant('release' as const), which }),
  fc.record({ do: fc.constant('disown' as const), which }),
  fc.record({ do: fc.constant('tell' as const), kind: fc.nat({ max: 1 }) }),
  fc.record({ do: fc.constant('collect' as const) }),
);

/** A collector in a simulated world that changes concurrently, also during requests. */
class Play {
  readonly world = new World();
  readonly invalid: string[] = [];
  readonly #made: { kind: string; uid: string }[] = [];
  readonly #concurrent: Action[];
  readonly #seen = new Map<string, WorldObject>();
  readonly #suspects = new Set<GraphNode>();
  readonly #orphans = new Set<GraphNode>();
  readonly #graph: OwnershipGraph;
  readonly #collector: Collector;

  constructor(concurrent: readonly Action[]) {
    this.#concurrent = [...concurrent];
    const absent = new AbsentOwners();
    const suspect = (node: GraphNode) => void this.#suspects.add(node);
    this.#graph = new OwnershipGraph({
      suspect,
      suspectLater: suspect,
      orphan: (node) => void this.#orphans.add(node),
      absent: (identity) => absent.add(identity),
    });
    const requests = worldRequests(
      this.world,
      () => this.#act(this.#concurrent.shift()),
      (object) => this.#judge(object),
    );
    this.#collector = new Collector({
      graph: this.#graph,
      requests,
      absent,
      suspect: (node) => {
        node.suspected = true;
        suspect(node);
      },
      log: nullLogger,
    });
  }

  async perform(action: Action): Promise<void> {
    if (action.do === 'tell') this.#tell(kinds[action.kind] ?? '');
    else if (action.do === 'collect') await this.#collect();
    else this.#act(action);
  }

  /** Runs until no event and no suspect is left; resolves to false if that does not happen. */
  async settle(): Promise<boolean> {
    for (let step = 0; step < 2000; step++) {
      for (const kind of kinds) while (this.#tell(kind));
      if (!(await this.#collect())) return true;
    }
    return false;
  }

  get graphSize(): number {
    return this.#graph.size;
  }

  #act(action: Action | undefined): void {
    if (action === undefined) return;
    if (action.do === 'create') return this.#create(action);
    if (!('which' in action)) return;
    const uid = this.#madeAt(action.which)?.uid ?? '';
    if (action.do === 'delete') this.world.delete(uid, action.policy);
    if (action.do === 'disown') this.world.change(uid, () => ({ ownerReferences: [] }));
    if (action.do === 'release') {
      this.world.change(uid, ({ finalizers = [] }) => ({ finalizers: finalizers.filter((f) => f !== hold) }));
    }
  }

  #madeAt(which: number): { kind: string; uid: string } | undefined {
    return this.#made[which % Math.max(1, this.#made.length)];
  }

  #create({ kind, owners, held }: Action & { do: 'create' }): void {
    const references = owners.flatMap(({ which, blocks, exists }): OwnerReference[] => {
      const owner = exists ? this.#madeAt(which) : { kind: 'One', uid: `nobody-${which}` };
      if (owner === undefined) return [];
      return [{ apiVersion: 'v1', name: owner.uid, ...owner, blockOwnerDeletion: blocks }];
    });
    const made = { kind: kinds[kind] ?? '', uid: `uid-${this.#made.length}` };
    const once = references.filter(({ uid }, i) => references.findIndex((one) => one.uid === uid) === i);
    this.world.create(made.kind, made.uid, once, held ? [hold] : []);
    this.#made.push(made);
  }

  #tell(kind: string): boolean {
    const event = this.world.events.get(kind)?.shift();
    if (event === undefined) return false;
    const { identity, meta, gone } = event;
    if (gone) this.#graph.remove(identity);
    else this.#graph.observe(identity, meta, this.#seen.get(identity.uid)?.meta);
    this.#seen.set(identity.uid, event);
    return true;
  }

  async #collect(): Promise<boolean> {
    const [orphaning] = this.#orphans;
    if (orphaning !== undefined) {
      this.#orphans.delete(orphaning);
      await this.#collector.orphan(orphaning);
      return true;
    }
    const [node] = this.#suspects;
    if (node === undefined) return false;
    this.#suspects.delete(node);
    const outcome = await this.#collector.collect(node).catch(() => 'again');
    if (outcome === 'again') this.#suspects.add(node);
    return true;
  }

  #judge({ identity, meta }: WorldObject): void {
    const solid = (meta.ownerReferences ?? []).filter((owner) => this.world.isSolid(owner));
    if (solid.length > 0) this.invalid.push(`${identity.uid} was deleted although ${solid[0]?.uid} exists`);
    if ((meta.ownerReferences ?? []).length === 0)
      this.invalid.push(`${identity.uid} had no owner and was deleted`);
  }
}

const plays = fc.record({
  actions: fc.array(actions, { minLength: 1, maxLength: 60 }),
  concurrent: fc.array(actions, { maxLength: 20 }),
});

/** An object loses its owner between two requests: the one that lifts its block of a waiting cycle, and its deletion. */
const disownedWhileUnblocked: { actions: Action[]; concurrent: Action[] } = {
  actions: [
    { do: 'create', kind: 0, owners: [], held: true },
    { do: 'create', kind: 1, owners: [{ which: 0, blocks: true, exists: true }], held: true },
    { do: 'delete', which: 0, policy: 'Foreground' },
    { do: 'create', kind: 0, owners: [{ which: 9, blocks: false, exists: true }], held: true },
    { do: 'release', which: 0 },
  ],
  concurrent: [
    { do: 'delete', which: 20, policy: 'Foreground' },
    { do: 'create', kind: 0, owners: [], held: true },
    { do: 'disown', which: 21 },
  ],
};

it('objects with an existing owner, or without an owner, are never deleted', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async ({ actions, concurrent }) => {
      const play = new Play(concurrent);
      for (const action of actions) await play.perform(action);
      await play.settle();
      expect(play.invalid).toEqual([]);
    }),
    { numRuns: samples(500), examples: [[disownedWhileUnblocked]] },
  );
});

it('garbage is deleted in the end, and owners that wait for their dependents after them', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async ({ actions, concurrent }) => {
      const play = new Play(concurrent);
      for (const action of actions) await play.perform(action);
      expect(await play.settle()).toBe(true);
      const { objects } = play.world;
      const isBlocked = (uid: string) =>
        [...objects.values()].some(({ meta }) =>
          meta.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
        );
      const left = [...objects.values()].filter(({ identity, meta }) => {
        const { ownerReferences: owners = [], finalizers = [], deletionTimestamp } = meta;
        if (deletionTimestamp === undefined) {
          return owners.length > 0 && !owners.some((owner) => objects.has(owner.uid));
        }
        const waits = finalizers.includes('foregroundDeletion') && !isBlocked(identity.uid);
        return waits || finalizers.includes('orphan');
      });
      expect(left).toEqual([]);
    }),
    { numRuns: samples(500) },
  );
});

it('the graph contains only existing objects', async () => {
  await fc.assert(
    fc.asyncProperty(plays, async ({ actions, concurrent }) => {
      const play = new Play(concurrent);
      for (const action of actions) await play.perform(action);
      await play.settle();
      expect(play.graphSize).toBe(play.world.objects.size);
    }),
    { numRuns: samples(500) },
  );
});
