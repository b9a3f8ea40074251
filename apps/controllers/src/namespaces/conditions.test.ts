import { describe, expect, it } from 'vitest';
import { type DeletionReport, updatedConditions } from './conditions.ts';

const fine: DeletionReport = {
  discovery: undefined,
  failures: [],
  remaining: new Map(),
  finalizers: new Map(),
};
const now = '2026-01-01T00:00:00Z';
const later = '2026-01-01T00:00:05Z';

const row = (report: Partial<DeletionReport>, type: string) => {
  const found = updatedConditions([], { ...fine, ...report }, now)?.find((one) => one.type === type);
  return [found?.status, found?.reason, found?.message];
};

describe('the conditions of a namespace that is deleted', () => {
  it('report that each step succeeded', () => {
    expect(
      updatedConditions([], fine, now)?.map(({ type, status, reason }) => [type, status, reason]),
    ).toEqual([
      ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered'],
      ['NamespaceDeletionGroupVersionParsingFailure', 'False', 'ParsedGroupVersions'],
      ['NamespaceDeletionContentFailure', 'False', 'ContentDeleted'],
      ['NamespaceContentRemaining', 'False', 'ContentRemoved'],
      ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers'],
    ]);
  });

  it.each<[string, Partial<DeletionReport>, string, string, string]>([
    [
      'what could not be discovered',
      { discovery: 'Discovery failed for some groups, 1 failing: x' },
      'NamespaceDeletionDiscoveryFailure',
      'DiscoveryFailed',
      'Discovery failed for some groups, 1 failing: x',
    ],
    [
      'what could not be deleted, sorted',
      { failures: ['b', 'a'] },
      'NamespaceDeletionContentFailure',
      'ContentDeletionFailed',
      'Failed to delete all resource types, 2 remaining: a, b',
    ],
    [
      'the remaining objects, with a dot after core resources',
      {
        remaining: new Map([
          ['foos.ex.com', 2],
          ['configmaps.', 1],
        ]),
      },
      'NamespaceContentRemaining',
      'SomeResourcesRemain',
      'Some resources are remaining: configmaps. has 1 resource instances, foos.ex.com has 2 resource instances',
    ],
    [
      'the finalizers',
      { finalizers: new Map([['ex.com/hold', 3]]) },
      'NamespaceFinalizersRemaining',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: ex.com/hold in 3 resource instances',
    ],
  ])('say %s', (_, report, type, reason, message) => {
    expect(row(report, type)).toEqual(['True', reason, message]);
  });

  it('do not change if the report is the same', () => {
    const first = updatedConditions([], fine, now) ?? [];
    expect(updatedConditions(first, fine, later)).toBeUndefined();
  });

  it('keep the time of conditions whose status does not change, and conditions of others', () => {
    const other = { type: 'Other', status: 'True' } as const;
    const one = { ...fine, remaining: new Map([['configmaps.', 1]]) };
    const first = [other, ...(updatedConditions([], one, now) ?? [])];
    const fewer =
      updatedConditions(first, { ...fine, remaining: new Map([['configmaps.', 2]]) }, later) ?? [];
    const done = updatedConditions(fewer, fine, later) ?? [];
    const times = (list: typeof done) =>
      list.find(({ type }) => type === 'NamespaceContentRemaining')?.lastTransitionTime;
    expect([times(fewer), times(done), done[0]]).toEqual([now, later, other]);
  });
});
