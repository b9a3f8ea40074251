import type { KubeObject } from '@annex/machinery';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { BoundObjects } from './bound-objects.ts';
import { createLegacyTokenIssuer } from './legacy-token.ts';
import { newPrivateKey, publicKeyOf } from '../pki/pki-certificate.ts';
import { serviceAccountTokens } from './service-account-authenticator.ts';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';

const audiences = ['https://kubernetes.default.svc'];
const account: KubeObject = { metadata: { name: 'builder', namespace: 'ci', uid: 'sa-1' } };
const secretWith = (token: string, more: object = {}): KubeObject => ({
  metadata: { name: 's', namespace: 'ci', ...more },
  data: { token: Buffer.from(token).toString('base64') },
});

let key: string;
let token: string;
let stored: Map<string, KubeObject>;
let tokens: TokenAuthenticator;
const objects: BoundObjects = { get: (resource, ns, name) => stored.get(`${resource}/${ns}/${name}`) };

beforeAll(async () => {
  key = await newPrivateKey();
  token = await createLegacyTokenIssuer(key)(account, 's');
});
beforeEach(() => {
  stored = new Map([
    ['serviceaccounts/ci/builder', account],
    ['secrets/ci/s', secretWith(token)],
  ]);
  tokens = serviceAccountTokens({ issuers: audiences, keys: [publicKeyOf(key)], audiences, objects });
});

it('a token in a Secret stands for its service account, for every audience of the server', async () => {
  expect(await tokens.authenticateToken(token, undefined)).toEqual({
    user: {
      name: 'system:serviceaccount:ci:builder',
      uid: 'sa-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ci'],
      extra: {},
    },
    by: 'service-account',
    audiences,
  });
});

it('a token in a Secret says what kube writes into it', () => {
  const [, payload = ''] = token.split('.');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': 'ci',
    'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'builder',
    'kubernetes.io/serviceaccount/service-account.uid': 'sa-1',
    sub: 'system:serviceaccount:ci:builder',
  });
});

it.each<[string, () => void, string]>([
  ['its Secret is gone', () => stored.delete('secrets/ci/s'), 'Token has been invalidated'],
  [
    'its Secret is being deleted',
    () => stored.set('secrets/ci/s', secretWith(token, { deletionTimestamp: '2030-01-01T00:00:00Z' })),
    'Token has been invalidated',
  ],
  [
    'its Secret holds another one',
    () => stored.set('secrets/ci/s', secretWith(`${token.slice(0, -1)}_`)),
    "Token does not match server's copy",
  ],
  [
    'its Secret holds none',
    () => stored.set('secrets/ci/s', { metadata: {} }),
    "Token does not match server's copy",
  ],
  [
    'its account is gone',
    () => stored.delete('serviceaccounts/ci/builder'),
    'serviceaccounts "builder" not found',
  ],
  [
    'its account was made anew',
    () => stored.set('serviceaccounts/ci/builder', { metadata: { uid: 'sa-2' } }),
    'ServiceAccount UID (sa-2) does not match claim (sa-1)',
  ],
  [
    'its Secret is marked invalid',
    () =>
      stored.set(
        'secrets/ci/s',
        secretWith(token, { labels: { 'kubernetes.io/legacy-token-invalid-since': '2029-01-01' } }),
      ),
    "the token in secret ci/s for service account ci/builder has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token",
  ],
])('a token in a Secret ends when %s', async (_, change, message) => {
  await tokens.authenticateToken(token, undefined);
  change();
  await expect(tokens.authenticateToken(token, undefined)).rejects.toThrow(message);
});

it('a token that another key signed is none', async () => {
  const forged = await createLegacyTokenIssuer(await newPrivateKey())(account, 's');
  stored.set('secrets/ci/s', secretWith(forged));
  await expect(tokens.authenticateToken(forged, undefined)).rejects.toThrow(
    'invalid signature, no keys found',
  );
});

it('nobody looks for a Secret or an account where lookups are off', async () => {
  stored.clear();
  const unlooked = serviceAccountTokens({
    issuers: audiences,
    keys: [publicKeyOf(key)],
    audiences,
    objects,
    lookup: false,
  });
  expect(await unlooked.authenticateToken(token, undefined)).toMatchObject({
    user: { name: 'system:serviceaccount:ci:builder' },
  });
});
