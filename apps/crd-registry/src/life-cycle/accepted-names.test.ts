import { expectLinear } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { crdOf } from '../crd.fixture.ts';
import type { Crd, CrdNames } from '../crd/crd.ts';
import { acceptNames, namesOf, releasesNames } from './accepted-names.ts';

const none = { plural: '', kind: '' };
const wanted: CrdNames = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };

function crd(names: Partial<CrdNames>, accepted: CrdNames = none): Crd {
  const made = crdOf({ names: { ...wanted, ...names } }) as Crd;
  made.status = { conditions: [], acceptedNames: accepted, storedVersions: ['v1'] };
  return made;
}

const against = (requested: Partial<CrdNames>, others: CrdNames[], accepted?: CrdNames) =>
  acceptNames(crd(requested, accepted), () => ({
    resources: taken(others, 'resources'),
    kinds: taken(others, 'kinds'),
  }));

const taken = (others: CrdNames[], space: 'resources' | 'kinds') =>
  new Set(others.flatMap((names) => namesOf(crd({}, names), space)));

describe('the names that a CRD gets', () => {
  it('are all requested names if none is in use', () => {
    expect(against({ shortNames: ['w'], categories: ['all'] }, [])).toEqual({
      names: { ...wanted, shortNames: ['w'], categories: ['all'] },
      accepted: {
        type: 'NamesAccepted',
        status: 'True',
        reason: 'NoConflicts',
        message: 'no conflicts found',
      },
    });
  });

  it('are not checked again once all are accepted', () => {
    const accepted = against({}, [wanted], wanted);
    expect(accepted).toBeUndefined();
  });

  it.each<[string, Partial<CrdNames>, CrdNames, string, string]>([
    [
      'a plural that is the singular of another',
      {},
      { ...none, singular: 'widgets' },
      'PluralConflict',
      '"widgets" is already in use',
    ],
    [
      'a singular that is a short name of another',
      {},
      { ...none, shortNames: ['widget'] },
      'SingularConflict',
      '"widget" is already in use',
    ],
    [
      'a short name',
      { shortNames: ['w', 'x'] },
      { ...none, plural: 'w' },
      'ShortNamesConflict',
      '"w" is already in use',
    ],
    [
      'several short names',
      { shortNames: ['w', 'x'] },
      { ...none, shortNames: ['w', 'x'] },
      'ShortNamesConflict',
      '["w" is already in use, "x" is already in use]',
    ],
    ['a kind', {}, { ...none, kind: 'Widget' }, 'KindConflict', '"Widget" is already in use'],
    [
      'a kind that is the list kind of another',
      {},
      { ...none, listKind: 'Widget' },
      'KindConflict',
      '"Widget" is already in use',
    ],
    [
      'the last of several conflicts is reported',
      {},
      { plural: 'widgets', kind: 'WidgetList' },
      'ListKindConflict',
      '"WidgetList" is already in use',
    ],
  ])('conflict in %s', (_name, requested, other, reason, message) => {
    expect(against(requested, [other])?.accepted).toEqual({
      type: 'NamesAccepted',
      status: 'False',
      reason,
      message,
    });
  });

  it('keep an old name if the new one is in use, and change the others', () => {
    const result = against({ kind: 'Gadget', listKind: 'GadgetList' }, [{ ...none, kind: 'Gadget' }], wanted);
    expect(result?.names).toEqual({ ...wanted, listKind: 'GadgetList' });
  });

  it.each<[string, (of: Crd) => unknown]>([
    ['are requested', (of) => acceptNames(of, () => ({ resources: new Set(), kinds: new Set() }))],
    [
      'are released',
      (of) =>
        releasesNames(
          of,
          crd(
            { shortNames: [] },
            { ...wanted, shortNames: of.status.acceptedNames.shortNames?.toReversed() },
          ),
        ),
    ],
  ])('take linear time when many short names %s', (_, work) => {
    const namesFor = (size: number) => Array.from({ length: size }, (__, i) => `n${i}`);
    const make = (size: number): Crd =>
      crd({ shortNames: [...namesFor(size), 'x'] }, { ...wanted, shortNames: namesFor(size) });
    expectLinear(make, work, { max: 4096 });
  });
});
