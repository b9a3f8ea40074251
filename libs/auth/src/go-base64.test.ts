import { expect, it } from 'vitest';
import { base64Error } from './go-base64.ts';

it.each([
  ['YQ==', undefined],
  ['YQ=\n=', undefined],
  ['x', 0],
  ['YQ', 0],
  ['YQ\n', 1],
  ['YQ=', 3],
  ['YW=J', 2],
  ['Y=Q=', 1],
  ['YQ==x', 4],
  ['YWJj\nY', 5],
  ['YW-j', 2],
])('Go decodes %j, or reports byte %s', (text, byte) => {
  expect(base64Error(text)).toBe(
    byte === undefined ? undefined : `illegal base64 data at input byte ${byte}`,
  );
});
