import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const prefix = '/registry/configmaps/n/';

it('decodes to the encoded values', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.stringMatching(/^[a-z0-9]{1,20}$/), (revision, name) => {
      const token = { revision, startKey: prefix + name };
      expect(decodeContinue(encodeContinue(token, prefix), prefix)).toEqual(token);
    }),
  );
});

const token = (body: unknown) => Buffer.from(JSON.stringify(body)).toString('base64url');
const valid = { v: 'meta.k8s.io/v1', rv: 4, start: 'a' };

it('reads a negative revision as the newest', () => {
  expect(decodeContinue(token({ ...valid, rv: -5 }), prefix)).toEqual({
    revision: -1,
    startKey: `${prefix}a`,
  });
});

it.each([
  ['another alphabet', 'a b', ': illegal base64 data at input byte 1'],
  ['padding', `${token(valid)}==`, ': illegal base64 data at input byte'],
  ['invalid JSON', 'xyz', ": invalid character 'Ç' looking for beginning of value"],
  ['an array', token([]), ': json: cannot unmarshal array into Go value of type storage.continueToken'],
  ['another version', token({ v: 'v2' }), ': server does not recognize this encoded version v2'],
  ['no revision', token({ v: valid.v, start: 'a' }), ': incorrect encoded start resourceVersion'],
  [
    'a revision that is a string',
    token({ ...valid, rv: '4' }),
    ': json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
  ],
  ['no key', token({ ...valid, start: '' }), ': encoded start key empty (version meta.k8s.io/v1)'],
  ['a key that leads out of the prefix', token({ ...valid, start: '../secrets/x' }), ': ../secrets/x'],
])('refuses %s', (_name, text, why) => {
  expect(() => decodeContinue(text, prefix)).toThrow(
    `invalid continue token: continue key is not valid${why}`,
  );
});
