import { expect, it } from 'vitest';
import { repetitions } from './repetitions.ts';

it.each<[why: string, values: unknown[], repeated: unknown[]]>([
  ['none of values that differ', ['a', 'b', 1, '1', undefined], []],
  ['each one but the first', ['a', 'b', 'a', 'b', 'a'], ['a', 'b', 'a']],
])('repetitions are %s', (_why, values, repeated) => {
  const isRepeated = repetitions();
  expect(values.filter((value) => isRepeated(value))).toEqual(repeated);
});
