import { expect, test } from 'vitest';
import { NotPassing } from './not-passing.ts';
import { areaTable, compareWithList, countAreas } from './report.ts';
import type { Outcome } from './play-all.ts';

const text = `# why
# and how

[single-process]
a/x
a/y

[separate-processes]
`;

test('the list is read and written without changes', () => {
  const list = new NotPassing(text);
  expect([...list.of('single-process')]).toEqual(['a/x', 'a/y']);
  expect(list.of('elsewhere').size).toBe(0);
  expect(list.toString()).toBe(text);
});

const outcome = (name: string, problems: string[] | undefined): Outcome => ({
  played: { name, area: name.split('/')[0] ?? '', kind: 'recording', path: '' },
  problems,
});
const outcomes = [
  outcome('a/x', []),
  outcome('a/y', ['different']),
  outcome('a/z', ['different']),
  outcome('b/x', undefined),
];

test('a listed case that passes and an unlisted case that fails are surprises; a skipped case is not', () => {
  const listed = new Set(['a/x', 'a/y', 'b/x']);
  expect(compareWithList(outcomes, listed)).toEqual({ passing: ['a/x'], failing: ['a/z'] });
});

test('areas are counted', () => {
  expect(areaTable(countAreas(outcomes))).toBe(
    [
      'area  passed  not passing  skipped  percent',
      'a          1            2        0     33 %',
      'b          0            0        1        -',
      'all        1            2        1     33 %',
    ].join('\n'),
  );
});
