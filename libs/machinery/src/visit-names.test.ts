import { expect, it } from 'vitest';
import { DividedVisit, finish } from './passes.ts';
import { visitNames } from './visit-names.ts';

const wide = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`n${501 - i}`, i]));

it.each<[string, object, boolean, DividedVisit, waits: boolean]>([
  ['few names are visited at once', { b: 1, a: 2 }, false, new DividedVisit(), false],
  ['few names are sorted', { b: 1, a: 2 }, true, new DividedVisit(), false],
  ['names beyond the share of a pass wait', { b: 1, a: 2 }, true, new DividedVisit(0), true],
  ['many names wait', wide, false, new DividedVisit(), true],
  ['many names are sorted', wide, true, new DividedVisit(), true],
])('%s', (_name, object, sorted, visits, waits) => {
  const visited: string[] = [];
  visitNames(object, visits, (name) => visited.push(name), sorted);
  expect(visited.length === 0).toBe(waits);
  finish(visits.rest());
  expect(visited).toEqual(sorted ? Object.keys(object).sort() : Object.keys(object));
});
