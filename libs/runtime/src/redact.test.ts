import { expectLinear } from '@annex/testkit';
import { describe, expect, test } from 'vitest';
import { redactText } from './redact.ts';

const key = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----';

describe('texts of the log are shown without secrets:', () => {
  test.each([
    ['nothing secret', 'nothing secret'],
    ['Authorization: Bearer abc.def-1/2==, sent', 'Authorization: Bearer [redacted], sent'],
    ['token eyJhbGci.eyJpc3Mi.c2ln, sent', 'token [redacted], sent'],
    ['a-eyJhbGci.eyJpc3Mi.c2ln.x', 'a-[redacted].x'],
    ['eyJhbGci.eyJpc3Mi is not whole', 'eyJhbGci.eyJpc3Mi is not whole'],
    ['v1.eyJhbGci.eyJpc3Mi.c2ln/eyJhbGci.eyJpc3Mi.c2ln', 'v1.[redacted]/[redacted]'],
    ['keyJhbGci.eyJpc3Mi.c2ln', 'keyJhbGci.eyJpc3Mi.c2ln'],
    [`a ${key} b ${key} c`, 'a [redacted] b [redacted] c'],
    [`a ${key.slice(0, 40)}`, 'a [redacted]'],
  ])('%s', (text, shown) => expect(redactText(text)).toBe(shown));
});

describe('texts of the log are read in linear time:', () => {
  test.each<[string, (size: number) => string]>([
    ['beginnings of web tokens', (size) => 'eyJa-'.repeat(size)],
    ['points and beginnings of web tokens', (size) => 'eyJa..'.repeat(size)],
    ['web tokens', (size) => 'eyJa.b.c '.repeat(size)],
    ['spaces after Bearer', (size) => `${'Bearer'.repeat(10)}${' '.repeat(size)}!`],
    ['beginnings of keys', (size) => '-----BEGIN A PRIVATE KEY-----'.repeat(size)],
    ['labels without an end', (size) => `PRIVATE KEY-----BEGIN ${'A'.repeat(size)}`.repeat(2)],
    ['ends of keys', (size) => `${'-----END A PRIVATE KEY-----'.repeat(size)}`],
  ])('%s', (_, make) => void expectLinear(make, redactText));
});
