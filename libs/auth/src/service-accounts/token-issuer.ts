import { randomUUID } from 'node:crypto';
import type { KubeObject } from '@annex/machinery';
import type { BoundObjects } from './bound-objects.ts';
import { serviceAccountUser } from './service-account-name.ts';
import { signToken } from './sign-token.ts';
import { signingKey } from './token-keys.ts';

/** The `--service-account-*` and `--api-audiences` options of issued tokens. */
export interface TokenIssuerOptions {
  issuer: string;
  /** PEM of the private key that signs. */
  key: string;
  /** The audiences of tokens that are requested without any. */
  audiences: readonly string[];
  /** `--service-account-max-token-expiration` in seconds; default: no limit. */
  maxExpirationSeconds?: number;
  /** `--service-account-extend-token-expiration`; default: true. */
  extendExpiration?: boolean;
  objects: BoundObjects;
}

/** The content of a token. Times are in seconds. */
export interface TokenContent {
  serviceAccount: KubeObject;
  audiences: readonly string[];
  issuedAt: number;
  expirationSeconds: number;
  /** The token becomes stale after this many seconds, before it expires. */
  warnAfterSeconds?: number;
  pod?: KubeObject;
  secret?: KubeObject;
  node?: KubeObject;
}

/** Issues tokens for service accounts. */
export interface TokenIssuer extends Omit<TokenIssuerOptions, 'key'> {
  issueToken(content: TokenContent): Promise<string>;
}

/** Creates an issuer that signs with one key. Throws if the key cannot sign. */
export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  const { key: pem, ...rest } = options;
  const signing = signingKey(pem);
  return {
    ...rest,
    issueToken(content) {
      const { name = '', namespace = '' } = content.serviceAccount.metadata;
      // In the order of kube-apiserver, which is alphabetical.
      const claims = {
        aud: [...content.audiences],
        exp: content.issuedAt + content.expirationSeconds,
        iat: content.issuedAt,
        iss: options.issuer,
        jti: randomUUID(),
        'kubernetes.io': ownClaims(content),
        nbf: content.issuedAt,
        sub: serviceAccountUser(namespace, name),
      };
      return signToken(claims, signing);
    },
  };
}

function ownClaims(content: TokenContent): object {
  const { serviceAccount, pod, secret, node, warnAfterSeconds } = content;
  return {
    namespace: serviceAccount.metadata.namespace,
    ...(node ? { node: reference(node) } : {}),
    ...(pod ? { pod: reference(pod) } : {}),
    ...(secret ? { secret: reference(secret) } : {}),
    serviceaccount: reference(serviceAccount),
    ...(warnAfterSeconds === undefined ? {} : { warnafter: content.issuedAt + warnAfterSeconds }),
  };
}

const reference = ({ metadata: { name, uid } }: KubeObject): object => ({ name, ...(uid ? { uid } : {}) });
