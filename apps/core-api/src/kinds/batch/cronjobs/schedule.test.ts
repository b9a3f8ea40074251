import { expect, it } from 'vitest';
import { scheduleError } from './schedule.ts';

// The results of robfig/cron v3.
it.each([
  ['a star followed by hyphens', '*-- ?-1-2 * * *', undefined],
  ['a range with several hyphens', '1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['numbers, ranges, steps and names', '0-30/5 1,2 ? jan-mar MON', undefined],
  ['items that are empty', ', 2, ,4 1 *', undefined],
  ['a name', '@daily', undefined],
  ['a duration', '@every 1h30m', undefined],
  ['too few fields', '* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['a number that is too large', '60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['a range that is turned around', '5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['a step of nothing', '*/0 * * * *', 'step of range should be a positive number: */0'],
  ['an unknown name', '@never', 'unrecognized descriptor: @never'],
])('a schedule with %s', (_what, text, error) => {
  expect(scheduleError(text)).toBe(error);
});
