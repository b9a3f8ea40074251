import { expect, test } from 'vitest';
import { growthFlags } from './heap-growth.ts';

const mebibyte = 1024 * 1024;

test.each([
  ['a heap at the start may grow by 32 MiB', { young: 1, old: 8 }, [400, 2]],
  ['a heap with many connections may grow by 32 MiB', { young: 1, old: 32 }, [100, 2]],
  ['a large heap grows as V8 chooses', { young: 1, old: 128 }, [0, 2]],
  ['a young generation of 8 MiB does not grow', { young: 8, old: 8 }, [400, 1]],
])('%s', (_name, { young, old }, [percent, factor]) => {
  expect(growthFlags({ young: young * mebibyte, old: old * mebibyte })).toEqual([
    `--heap-growing-percent=${percent}`,
    `--semi-space-growth-factor=${factor}`,
  ]);
});
