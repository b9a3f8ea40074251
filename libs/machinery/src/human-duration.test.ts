import { expect, test } from 'vitest';
import { humanDuration } from './human-duration.ts';

test.each([
  [-5, '<invalid>'],
  [-1, '0s'],
  [119, '119s'],
  [120, '2m'],
  [184, '3m4s'],
  [600, '10m'],
  [3 * 3600, '3h'],
  [7 * 3600 + 60, '7h1m'],
  [47 * 3600, '47h'],
  [53 * 3600, '2d5h'],
  [8 * 86400, '8d'],
  [800 * 86400, '2y70d'],
  [9 * 365 * 86400, '9y'],
])('%i seconds are %s', (seconds, text) => expect(humanDuration(seconds * 1000)).toBe(text));
