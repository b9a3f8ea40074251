import { expect, it } from 'vitest';
import { crdOf } from '../crd.fixture.ts';
import type { Crd, CrdNames } from '../crd/crd.ts';
import { Claims } from './claims.ts';

function crd(plural: string, accepted: Partial<CrdNames> = {}, group = 'example.com'): Crd {
  const made = crdOf({ names: { plural }, group }, {}, group) as Crd;
  made.status = { conditions: [], acceptedNames: { plural: '', kind: '', ...accepted }, storedVersions: [] };
  return made;
}

const birds = crd('birds', { plural: 'birds', singular: 'bird', shortNames: ['b'], kind: 'Bird' });
/** So many names are claimed together. */
const shortNames = Array.from({ length: 1001 }, (_, i) => `b${i}`);
const flock = crd('birds', { plural: 'birds', singular: 'bird', shortNames, kind: 'Bird' });
const asker = crd('askers', { plural: 'askers' });

/** Returns which of these names are taken from a CRD, and kinds in capitals. */
function taken(claims: Claims, of: Crd, ...names: string[]): string[] {
  const { resources, kinds } = claims.takenFrom(of);
  return names.filter((name) => (/^[A-Z]/.test(name) ? kinds : resources).has(name));
}

const all = ['birds', 'bird', 'b', 'b1000', 'Bird', 'BirdList', 'askers', ''];

it.each<[string, (claims: Claims) => unknown, Crd, string[]]>([
  [
    'are taken from others of its group',
    (claims) => claims.set(birds),
    asker,
    ['birds', 'bird', 'b', 'Bird'],
  ],
  ['are not taken from itself', (claims) => claims.set(birds), birds, []],
  [
    'are taken from others also if they are many',
    (claims) => claims.set(flock),
    asker,
    ['birds', 'bird', 'b1000', 'Bird'],
  ],
  ['are not taken from itself if they are many', (claims) => claims.set(flock), flock, []],
  [
    'are free when a CRD with many is deleted',
    (claims) => [claims.set(flock), claims.delete(flock)],
    asker,
    [],
  ],
  [
    'change from many to few, and back',
    (claims) => [claims.set(birds), claims.set(flock), claims.set(birds)],
    asker,
    ['birds', 'bird', 'b', 'Bird'],
  ],
  ['are not taken from another group', (claims) => claims.set(birds), crd('askers', {}, 'other.io'), []],
  ['are free when it is deleted', (claims) => [claims.set(birds), claims.delete(birds)], asker, []],
  [
    'change with it',
    (claims) => [claims.set(birds), claims.set(crd('birds', { plural: 'birds', kind: 'BirdList' }))],
    asker,
    ['birds', 'BirdList'],
  ],
  [
    'are still taken by another CRD with the same name',
    (claims) => [claims.set(birds), claims.set(crd('fowl', { singular: 'bird' })), claims.delete(birds)],
    asker,
    ['bird'],
  ],
  [
    'are taken while they are written',
    (claims) => [claims.set(crd('birds')), claims.addPending(birds)],
    asker,
    ['birds', 'bird', 'b', 'Bird'],
  ],
  [
    'are free when the write failed',
    (claims) => [claims.set(crd('birds')), claims.addPending(birds)()],
    asker,
    [],
  ],
  [
    'are those of the event that came during the write',
    (claims) => {
      claims.set(crd('birds'));
      const release = claims.addPending(birds);
      claims.set(crd('birds', { plural: 'birds' }));
      release();
    },
    asker,
    ['birds'],
  ],
  [
    'are free when it is deleted during the write',
    (claims) => {
      claims.set(crd('birds'));
      const release = claims.addPending(birds);
      claims.delete(birds);
      release();
    },
    asker,
    [],
  ],
])('the names of a CRD %s', (_, change, of, expected) => {
  const claims = new Claims();
  claims.set(asker);
  change(claims);
  expect(taken(claims, of, ...all.filter((name) => name !== 'askers'))).toEqual(expected);
});
