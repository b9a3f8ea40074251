import { createPublicKey } from 'node:crypto';
import { compactVerify, importJWK, type JWK } from 'jose';
import { expect, it } from 'vitest';
import { issuerMetadata } from './issuer-metadata.ts';
import { newPrivateKey, publicKeyOf } from '../pki/pki-certificate.ts';
import { rsaKey } from '../pki/rsa-key.fixture.ts';
import { createTokenIssuer } from './token-issuer.ts';

it.each([
  ['P-256', await newPrivateKey(), 'ES256', ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']],
  ['RSA', rsaKey(), 'RS256', ['alg', 'e', 'kid', 'kty', 'n', 'use']],
])('publishes the %s keys that verify the tokens of the issuer', async (_kind, key, algorithm, members) => {
  const { configuration, keySet } = issuerMetadata('https://issuer', 'https://host/openid/v1/jwks', [
    publicKeyOf(key),
  ]);
  expect(configuration).toEqual({
    issuer: 'https://issuer',
    jwks_uri: 'https://host/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  });
  const [jwk] = (keySet as { keys: JWK[] }).keys as [JWK];
  expect(Object.keys(jwk).sort()).toEqual(members);
  const issuer = createTokenIssuer({
    issuer: 'https://issuer',
    key,
    audiences: [],
    objects: { get: () => undefined },
  });
  const serviceAccount = { metadata: { name: 'a', namespace: 'b', uid: 'c' } };
  const token = await issuer.issueToken({
    serviceAccount,
    audiences: ['x'],
    issuedAt: 0,
    expirationSeconds: 600,
  });
  const { protectedHeader } = await compactVerify(token, await importJWK(jwk, algorithm));
  expect(protectedHeader.kid).toBe(jwk.kid);
  expect(createPublicKey(publicKeyOf(key)).export({ format: 'jwk' })).toMatchObject(
    algorithm === 'ES256' ? { x: jwk.x, y: jwk.y } : { n: jwk.n },
  );
});
