import type { OwnerReference } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import type { Identity, OwnershipMeta } from './identity.ts';
import { OwnershipGraph } from './ownership-graph.ts';

const thing = (uid: string, namespace = 'ns', kind = 'Thing'): Identity => ({
  apiVersion: 'v1',
  kind,
  namespace,
  name: `name-${uid}`,
  uid,
});
const owner = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Thing',
  name: `name-${uid}`,
  uid,
  ...more,
});
const ownedBy = (...ownerReferences: OwnerReference[]): OwnershipMeta => ({ ownerReferences });
const deleted = (...finalizers: string[]): OwnershipMeta => ({ deletionTimestamp: 'now', finalizers });

/** Returns a graph that reports its callbacks as text. */
function graphAndCallbacks() {
  const notified: string[] = [];
  const graph = new OwnershipGraph({
    suspect: ({ identity, virtual }) =>
      notified.push(
        `suspect ${identity.uid}${virtual ? ` as ${identity.kind} in '${identity.namespace}'` : ''}`,
      ),
    suspectLater: ({ identity }) =>
      notified.push(`later ${identity.uid} as ${identity.kind} in '${identity.namespace}'`),
    orphan: ({ identity }) => notified.push(`orphan ${identity.uid}`),
    absent: ({ uid, kind }) => notified.push(`absent ${uid} ${kind}`),
    misplaced: ({ identity }) => notified.push(`misplaced ${identity.uid}`),
  });
  const take = () => notified.splice(0);
  return { graph, take };
}

describe('an owner', () => {
  it('that is deleted makes its dependents suspects', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('d'), ownedBy(owner('o')));
    expect(take()).toEqual([]);
    graph.remove(thing('o'));
    expect(take()).toEqual(['absent o Thing', 'suspect d']);
  });

  it('that no watch has reported is looked up', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('d'), ownedBy(owner('o')));
    expect(take()).toEqual(["suspect o as Thing in 'ns'"]);
    graph.removeAbsent(thing('o'));
    expect(take()).toEqual(['absent o Thing', 'suspect d']);
    expect(graph.get('o')).toBeUndefined();
  });

  it('that is reported after its dependents is no longer suspected', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('d'), ownedBy(owner('o')));
    take();
    graph.observe(thing('o'), {});
    expect(take()).toEqual([]);
    expect(graph.get('o')?.virtual).toBe(false);
    expect(graph.get('o')?.suspected).toBe(false);
  });

  it('of another namespace is ignored', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o', 'other'), {});
    graph.observe(thing('d'), ownedBy(owner('o')));
    expect(take()).toEqual(['misplaced d', 'suspect d']);
  });

  it('of another namespace is ignored, also if it is reported later', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('d'), ownedBy(owner('o')));
    take();
    graph.observe(thing('o', 'other'), {});
    expect(take()).toEqual(['misplaced d', 'suspect d']);
  });

  it('without a namespace may own objects in all of them', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o', ''), {});
    graph.observe(thing('d', 'a'), ownedBy(owner('o')));
    graph.observe(thing('e', ''), ownedBy(owner('o')));
    expect(take()).toEqual([]);
  });

  it('with another identity than in a reference makes the dependent a suspect', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('d'), ownedBy(owner('o', { kind: 'Other' })));
    expect(take()).toEqual(['suspect d']);
  });

  it('with different identities in references is tried as each of them', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('a'), ownedBy(owner('o', { kind: 'One' })));
    graph.observe(thing('b'), ownedBy(owner('o', { kind: 'Two' })));
    expect(take()).toEqual(["suspect o as One in 'ns'", 'suspect b']);
    graph.removeAbsent(thing('o', 'ns', 'One'));
    expect(take()).toEqual(['absent o One', 'suspect a', "later o as Two in 'ns'"]);
  });
});

describe('a reference', () => {
  it('that is added and removed moves the dependent', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('p'), {});
    graph.observe(thing('d'), ownedBy(owner('o')));
    graph.observe(thing('d'), ownedBy(owner('p')));
    graph.remove(thing('o'));
    expect(take()).toEqual([]);
    graph.remove(thing('p'));
    expect(take()).toEqual(['absent p Thing', 'suspect d']);
  });

  it.each<[string, OwnerReference[]]>([
    ['removed', []],
    ['changed not to block', [owner('o', { blockOwnerDeletion: false })]],
  ])('that blocked its owner and is %s makes the owner a suspect', (_, after) => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('d'), ownedBy(owner('o', { blockOwnerDeletion: true })));
    expect(
      graph
        .get('o')
        ?.blocking()
        .map(({ identity }) => identity.uid),
    ).toEqual(['d']);
    graph.observe(thing('d'), ownedBy(...after));
    expect(take()).toEqual(['suspect o']);
    expect(graph.get('o')?.blocking()).toEqual([]);
  });
});

describe('a deletion', () => {
  it('in the foreground makes the dependents suspects, and the owner when the last of them is gone', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('d'), ownedBy(owner('o', { blockOwnerDeletion: true })));
    graph.observe(thing('o'), deleted('foregroundDeletion'), {});
    expect(take()).toEqual(['suspect d', 'suspect o']);
    expect(graph.get('o')?.deletingDependents).toBe(true);
    graph.remove(thing('d'));
    expect(take()).toEqual(['suspect o']);
  });

  it('that orphans is reported once', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('o'), deleted('orphan'), {});
    graph.observe(thing('o'), deleted('orphan', 'other'), deleted('orphan'));
    expect(take()).toEqual(['orphan o']);
  });

  it('that began before the object was first reported continues', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), deleted('foregroundDeletion'));
    expect(take()).toEqual(['suspect o']);
  });

  it('with other finalizers only waits', () => {
    const { graph, take } = graphAndCallbacks();
    graph.observe(thing('o'), {});
    graph.observe(thing('o'), deleted('ex.com/hold'), {});
    expect(take()).toEqual([]);
    expect(graph.get('o')?.beingDeleted).toBe(true);
  });
});

it('removes deleted objects', () => {
  const { graph } = graphAndCallbacks();
  graph.observe(thing('o'), {});
  graph.observe(thing('d'), ownedBy(owner('o')));
  graph.remove(thing('d'));
  graph.remove(thing('o'));
  expect(graph.size).toBe(0);
});
