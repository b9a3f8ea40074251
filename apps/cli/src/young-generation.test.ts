import { expect, test } from 'vitest';
import { growthFlag, youngBytes } from './young-generation.ts';

test('the young generation grows until it has its size', () => {
  expect([0, youngBytes - 1, youngBytes].map(growthFlag)).toEqual([
    '--semi-space-growth-factor=2',
    '--semi-space-growth-factor=2',
    '--semi-space-growth-factor=1',
  ]);
});
