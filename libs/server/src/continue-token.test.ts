import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';

const prefix = '/registry/configmaps/n/';

it('gives back what it was made of', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), fc.stringMatching(/^[a-z0-9]{1,20}$/), (revision, name) => {
      const token = { revision, startKey: prefix + name };
      expect(decodeContinue(encodeContinue(token, prefix), prefix)).toEqual(token);
    }),
  );
});

it.each([
  ['what is no token', 'zzz'],
  ['a token without a revision', Buffer.from('{"v":"meta.k8s.io/v1","start":"a"}').toString('base64url')],
  ['a token without a key', Buffer.from('{"v":"meta.k8s.io/v1","rv":4,"start":""}').toString('base64url')],
  [
    'a token that leads out of the prefix',
    Buffer.from('{"v":"meta.k8s.io/v1","rv":4,"start":"../secrets/x"}').toString('base64url'),
  ],
])('refuses %s', (_name, token) => {
  expect(() => decodeContinue(token, prefix)).toThrow('continue key is not valid');
});
