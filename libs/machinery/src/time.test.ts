import { expect, test } from 'vitest';
import { humanDuration, parseDuration } from './duration.ts';
import { formatMicroTime, formatTime, parseTime } from './time.ts';

test('times are written in UTC', () => {
  const moment = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  expect(formatTime(moment)).toBe('2026-01-02T03:04:05Z');
  expect(formatMicroTime(moment)).toBe('2026-01-02T03:04:05.678000Z');
});

test.each([
  ['2026-01-02T03:04:05Z', Date.UTC(2026, 0, 2, 3, 4, 5)],
  ['2026-01-02T03:04:05.5+01:30', Date.UTC(2026, 0, 2, 1, 34, 5, 500)],
  ['0050-01-01T00:00:00Z', -60589296000000],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-01-02', undefined],
  ['2026-01-02T25:00:00Z', undefined],
])('%s is a time: %s', (text, moment) => expect(parseTime(text)).toBe(moment));

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

test.each([
  ['1h30m', 5_400_000],
  ['1.5s', 1500],
  ['-250ms', -250],
  ['0', 0],
  ['5', undefined],
  ['', undefined],
])('%j is a duration: %s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));
