import { type VerificationKey, verificationKeys } from './token-keys.ts';

/** The documents that clients need to verify service-account tokens. */
export interface IssuerMetadata {
  /** `/.well-known/openid-configuration` */
  configuration: object;
  /** `/openid/v1/jwks`, sent as `application/jwk-set+json`. */
  keySet: object;
}

/** Describes a token issuer; `jwksUri` is the URL of the key set, `keys` are PEM files of keys. */
export function issuerMetadata(issuer: string, jwksUri: string, keys: readonly string[]): IssuerMetadata {
  const known = keys.flatMap(verificationKeys);
  return {
    configuration: {
      issuer,
      jwks_uri: jwksUri,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(known.map((key) => key.algorithm))].sort(),
    },
    keySet: { keys: known.map(publishedKey) },
  };
}

/** Members are in the order of go-jose. */
function publishedKey({ id: kid, key, algorithm: alg }: VerificationKey): object {
  const { kty, crv, ...numbers } = key.export({ format: 'jwk' });
  return { use: 'sig', kty, kid, ...(crv === undefined ? {} : { crv }), alg, ...numbers };
}
