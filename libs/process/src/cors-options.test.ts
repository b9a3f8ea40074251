import { parseOptions } from '@annex/runtime';
import { expect, it } from 'vitest';
import { allowedOrigins, corsConflicts, corsOptions } from './cors-options.ts';

it.each<[what: string, pattern: string, error: RegExp | undefined]>([
  ['a host with any port', '//example\\.com(:|$)', undefined],
  ['a whole origin', '^https://example\\.com$', undefined],
  ['an open start', 'example\\.com$', /does not pin/],
  ['an open end', '//example\\.com', /does not pin/],
  ['no expression', '^(:', /is an invalid regular expression: error parsing regexp/],
  ['nothing', ',', /"" is empty/],
])('%s', (_, pattern, error) => {
  const parsed = parseOptions(corsOptions, [`--cors-allowed-origins=${pattern}`], {}, corsConflicts);
  const texts = parsed.kind === 'errors' ? parsed.errors.map(({ message }) => message) : [];
  expect(texts.join('\n')).toMatch(error ?? /^$/);
});

it.each<[origin: string, isAllowed: boolean]>([
  ['https://example.com', true],
  ['http://example.com:8080', true],
  ['https://example.com.evil.io', false],
  ['https://not-example.com', false],
])('the origin %s', (origin, isAllowed) => {
  expect(allowedOrigins({ corsAllowedOrigins: ['//example\\.com(:|$)'] })?.(origin)).toBe(isAllowed);
});

it('no test of origins is made without the option', () => {
  expect(allowedOrigins({})).toBeUndefined();
});
