import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { readIdToken } from './id-token.ts';

const mistyped = (found: string, field: string, type: string) =>
  `oidc: failed to unmarshal claims: json: cannot unmarshal ${found} into Go struct field idToken.${field} of type ${type}`;

// Texts are those of kube-apiserver v1.36.3.
describe('the claims that every token must give its types', () => {
  it('are case-insensitive, and the last one counts', () => {
    const claims = { ISS: 'a', iss: 'b', Aud: ['x', null], EXP: '12.9', nbf: 3 };
    expect(readIdToken(claims)).toEqual({ issuer: 'b', audiences: ['x', ''], expiresAt: 12, notBefore: 3 });
  });

  const rows: [what: string, claims: JsonObject, expected: string][] = [
    ['a subject that is a number', { sub: 5 }, mistyped('number', 'sub', 'string')],
    ['audiences that are a number', { aud: 5 }, mistyped('number', 'aud', '[]string')],
    ['an audience that is a number', { aud: ['a', 5] }, mistyped('number', 'aud', 'string')],
    ['a time that is an object', { iat: {} }, mistyped('object', 'iat', 'json.Number')],
    [
      'a time that is a word',
      { nbf: 'x' },
      String.raw`oidc: failed to unmarshal claims: json: invalid number literal, trying to unmarshal "\"x\"" into Number`,
    ],
    [
      'a time that is null',
      { exp: null },
      'oidc: failed to unmarshal claims: strconv.ParseFloat: parsing "": invalid syntax',
    ],
  ];
  it.each(rows)('%s', (_what, claims, expected) => {
    expect(() => readIdToken(claims)).toThrow(new Error(expected));
  });
});
