import { compactVerify } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BoundObjects } from './bound-objects.ts';
import { issuerMetadata } from './issuer-metadata.ts';
import { serviceAccountTokens } from './service-account-authenticator.ts';
import { createTokenIssuer } from './token-issuer.ts';
import { signingKey, verificationKeys } from './token-keys.ts';

const pkcs8 = { type: 'pkcs8', format: 'pem' } as const;
const spki = { type: 'spki', format: 'pem' } as const;
const curve = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve, publicKeyEncoding: spki, privateKeyEncoding: pkcs8 });
const p256 = curve('P-256');
const p384 = curve('P-384');
const edwards = generateKeyPairSync('ed25519', { publicKeyEncoding: spki, privateKeyEncoding: pkcs8 });
const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';

const account = { metadata: { name: 'a', namespace: 'b', uid: 'c' } };
const objects: BoundObjects = { get: () => account };
const issue = (issuer: string, key: string) =>
  createTokenIssuer({ issuer, key, audiences: [], objects }).issueToken({
    serviceAccount: account,
    audiences: ['api'],
    issuedAt: Math.floor(Date.now() / 1000),
    expirationSeconds: 600,
  });

describe('a file of keys', () => {
  it('can contain any number of keys, public and private, beside other blocks', () => {
    const pem = [parameters, p256.privateKey, 'words', edwards.publicKey, p384.publicKey].join('\n');
    expect(verificationKeys(pem).map(({ algorithm }) => algorithm)).toEqual(['ES256', 'ES384']);
  });

  it.each([['no PEM at all'], [parameters], [edwards.publicKey]])('is refused without keys: %j', (pem) => {
    expect(() => verificationKeys(pem)).toThrow('data does not contain any valid RSA or ECDSA public keys');
  });

  it('signs with its first private key', () => {
    expect(signingKey(parameters + p256.publicKey + p384.privateKey).algorithm).toBe('ES384');
    expect(() => signingKey(p256.publicKey)).toThrow(
      'data does not contain a valid RSA or ECDSA private key',
    );
  });
});

it.each([
  [
    'RS256',
    generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: spki, privateKeyEncoding: pkcs8 }),
  ],
  ['ES256', p256],
  ['ES384', p384],
  ['ES512', curve('P-521')],
])('%s signs tokens that are verified, and name their key', async (algorithm, { privateKey, publicKey }) => {
  const [key] = verificationKeys(publicKey);
  const token = await issue('https://issuer', privateKey);
  const { protectedHeader, payload } = await compactVerify(token, key!.key);
  expect(protectedHeader).toEqual({ alg: algorithm, kid: key!.id });
  expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({ aud: ['api'], iss: 'https://issuer' });
});

it('tokens of every issuer, signed by any of the keys, are valid, in the order of the requested audiences', async () => {
  const tokens = serviceAccountTokens({
    issuers: ['https://new', 'https://old'],
    keys: [p256.publicKey, p384.publicKey],
    audiences: ['other', 'api'],
    objects,
  });
  for (const issuer of ['https://new', 'https://old']) {
    for (const { privateKey } of [p256, p384]) {
      const result = await tokens.authenticateToken(await issue(issuer, privateKey), undefined);
      expect(result).toMatchObject({ user: { name: 'system:serviceaccount:b:a' }, audiences: ['api'] });
    }
  }
  expect(await tokens.authenticateToken(await issue('https://third', p256.privateKey), undefined)).toBe(
    undefined,
  );
  await expect(
    (async () =>
      tokens.authenticateToken(await issue('https://old', curve('P-256').privateKey), undefined))(),
  ).rejects.toThrow('invalid signature, no keys found');
});

it('all keys are published, with each algorithm once', () => {
  const { configuration, keySet } = issuerMetadata('https://issuer', 'https://keys/x', [
    p384.publicKey,
    p256.publicKey + p256.privateKey,
  ]);
  expect(configuration).toMatchObject({
    jwks_uri: 'https://keys/x',
    id_token_signing_alg_values_supported: ['ES256', 'ES384'],
  });
  const { keys } = keySet as { keys: object[] };
  expect(keys.map((key) => Object.keys(key).join(' '))).toEqual(Array(3).fill('use kty kid crv alg x y'));
});
