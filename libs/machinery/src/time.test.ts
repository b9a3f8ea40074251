import { expect, test } from 'vitest';
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
  ['2026-12-31T23:59:59Z', Date.UTC(2026, 11, 31, 23, 59, 59)],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-02-30T00:00:00Z', undefined],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-01-00T00:00:00Z', undefined],
  ['2026-01-02T03:04:60Z', undefined],
  ['2026-01-02', undefined],
  ['2026-01-02T25:00:00Z', undefined],
])('%s is a time: %s', (text, moment) => expect(parseTime(text)).toBe(moment));
