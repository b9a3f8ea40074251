import { expect, it } from 'vitest';
import { pushAll } from './push-all.ts';

it('appends more items than fit on the stack as arguments', () => {
  const list = [0];
  pushAll(list, new Array<number>(1_000_000).fill(1));
  expect(list).toHaveLength(1_000_001);
  expect(() => [0].push(...list)).toThrow(RangeError);
});
