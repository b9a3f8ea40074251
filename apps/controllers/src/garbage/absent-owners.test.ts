import { expect, it } from 'vitest';
import { AbsentOwners } from './absent-owners.ts';

const owner = (uid: string, namespace = 'a') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  namespace,
  name: 'p',
  uid,
});

it('contains the owners that were looked up last', () => {
  const absent = new AbsentOwners(2);
  absent.add(owner('1'));
  absent.add(owner('2'));
  expect(absent.has(owner('1'))).toBe(true);
  absent.add(owner('3'));
  expect(['1', '2', '3'].map((uid) => absent.has(owner(uid)))).toEqual([true, false, true]);
});

it('distinguishes owners of different namespaces', () => {
  const absent = new AbsentOwners();
  absent.add(owner('1', 'a'));
  expect([absent.has(owner('1', 'a')), absent.has(owner('1', ''))]).toEqual([true, false]);
});
