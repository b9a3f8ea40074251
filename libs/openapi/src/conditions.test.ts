import { describe, expect, it } from 'vitest';
import { conditionCode } from './conditions.ts';

describe('conditions of a request for a document', () => {
  const etag = '"A"';
  const madeAt = Date.parse('2026-01-01T00:00:00.900Z');
  const cases: [what: string, headers: Record<string, string>, code: number][] = [
    ['none', {}, 200],
    ['its tag', { 'if-none-match': '"A"' }, 304],
    ['its ETag among others', { 'if-none-match': '"B", "A"' }, 304],
    ['its ETag as a weak one', { 'if-none-match': 'W/"A"' }, 304],
    ['any tag', { 'if-none-match': '*' }, 304],
    ['another tag', { 'if-none-match': '"B"' }, 200],
    ['an ETag without quotes', { 'if-none-match': 'A' }, 200],
    [
      'another ETag with the same date',
      { 'if-none-match': '"B"', 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' },
      200,
    ],
    ['the same second', { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 304],
    ['older', { 'if-modified-since': 'Wed, 31 Dec 2025 23:59:59 GMT' }, 200],
    ['an invalid time', { 'if-modified-since': 'yesterday' }, 200],
    ['only another', { 'if-match': '"B"' }, 412],
    ['only this', { 'if-match': '"A"' }, 200],
    ['only unmodified since then', { 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 200],
    ['only unmodified before', { 'if-unmodified-since': 'Wed, 31 Dec 2025 23:59:59 GMT' }, 412],
    ['only unmodified since an invalid time', { 'if-unmodified-since': 'yesterday' }, 200],
    [
      'only this, unmodified before',
      { 'if-match': '"A"', 'if-unmodified-since': 'Wed, 31 Dec 2025 23:59:59 GMT' },
      200,
    ],
  ];
  it.each(cases)('%s', (_, headers, code) => {
    expect(conditionCode({ method: 'GET', headers }, { etag, madeAt })).toBe(code);
  });

  it.each([
    ['its tag', { 'if-none-match': '"A"' }, 412],
    ['another tag', { 'if-none-match': '"B"' }, 200],
    ['the same second', { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }, 200],
  ])('a POST with %s', (_, headers, code) => {
    expect(conditionCode({ method: 'POST', headers }, { etag, madeAt })).toBe(code);
  });
});
