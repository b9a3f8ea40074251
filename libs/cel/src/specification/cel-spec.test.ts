import { describe, expect, it } from 'vitest';
import { exceptions } from './exceptions.ts';
import { runCase } from './run-case.ts';
import { specCases } from './spec-case.ts';

const cases = specCases();
const bySection = Map.groupBy(cases, ({ section }) => section);

describe('the conformance data of the specification', () => {
  it.each([...bySection.keys()])('%s: all cases pass except the listed exceptions', (section) => {
    const failed = bySection.get(section)!.filter((each) => {
      const passes = runCase(each) === undefined;
      return passes === exceptions.has(each.path);
    });
    expect(failed.map(({ path }) => path)).toEqual([]);
  });

  it('lists only existing cases as exceptions', () => {
    const paths = new Set(cases.map(({ path }) => path));
    expect([...exceptions.keys()].filter((path) => !paths.has(path))).toEqual([]);
  });
});
