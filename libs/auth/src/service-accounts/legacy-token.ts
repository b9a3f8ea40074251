import { timingSafeEqual } from 'node:crypto';
import { getOwn, isObject, type JsonValue, type KubeObject } from '@annex/machinery';
import type { BoundObjects } from './bound-objects.ts';
import { parseServiceAccountUser, serviceAccountUser } from './service-account-name.ts';
import {
  type ClaimShape,
  registered,
  registeredClaims,
  requireShape,
  type TokenClaims,
} from './token-claims.ts';
import { signingKey } from './token-keys.ts';
import { CredentialsError, type Remarks } from '../types.ts';

/** The issuer of tokens in Secrets, independent of the configured issuer. */
export const legacyIssuer = 'kubernetes/serviceaccount';

const prefix = 'kubernetes.io/serviceaccount/';

/** Issues a token that is valid until its Secret or its service account is deleted. */
export type LegacyTokenIssuer = (serviceAccount: KubeObject, secretName: string) => Promise<string>;

/** Creates an issuer that signs with one PEM key. Throws if the key cannot sign. */
export function createLegacyTokenIssuer(key: string): LegacyTokenIssuer {
  const signing = signingKey(key);
  return async ({ metadata: { namespace = '', name = '', uid = '' } }, secretName) => {
    const { SignJWT } = await import('jose');
    const claims = {
      iss: legacyIssuer,
      [`${prefix}namespace`]: namespace,
      [`${prefix}secret.name`]: secretName,
      [`${prefix}service-account.name`]: name,
      [`${prefix}service-account.uid`]: uid,
      sub: serviceAccountUser(namespace, name),
    };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: signing.algorithm, kid: signing.id })
      .sign(signing.key);
  };
}

const legacyShape: ClaimShape = {
  type: 'serviceaccount.legacyPrivateClaims',
  fields: Object.fromEntries(
    ['namespace', 'secret.name', 'service-account.name', 'service-account.uid'].map((name) => [
      `${prefix}${name}`,
      'string',
    ]),
  ),
};

/** Reads the claims of a token in a Secret. Throws {@link CredentialsError} if they have other types. */
export function legacyClaims(payload: JsonValue): TokenClaims {
  requireShape(payload, registeredClaims);
  requireShape(payload, legacyShape);
  const claims = isObject(payload) ? payload : {};
  const claim = (name: string): string => {
    const value = getOwn(claims, `${prefix}${name}`);
    return typeof value === 'string' ? value : '';
  };
  return {
    ...registered(claims),
    id: undefined,
    namespace: claim('namespace'),
    serviceAccount: { name: claim('service-account.name'), uid: claim('service-account.uid') },
    secret: { name: claim('secret.name'), uid: '' },
    pod: undefined,
    node: undefined,
  };
}

/**
 * Throws {@link CredentialsError} with kube-apiserver's message if the Secret no longer contains this token,
 * or its account is deleted.
 */
export async function requireLegacyObjects(
  token: string,
  claims: TokenClaims,
  objects: BoundObjects,
): Promise<{ secret: KubeObject; account: KubeObject }> {
  const { namespace, serviceAccount } = claims;
  const { name, uid } = serviceAccount;
  const secret = await objects.get('secrets', namespace, claims.secret?.name ?? '');
  if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) {
    throw new CredentialsError('Token has been invalidated');
  }
  requireStored(token, secret);
  const account = await objects.get('serviceaccounts', namespace, name);
  if (account === undefined) throw new CredentialsError(`serviceaccounts "${name}" not found`);
  if (account.metadata.deletionTimestamp !== undefined) {
    throw new CredentialsError(`ServiceAccount ${namespace}/${name} has been deleted`);
  }
  const found = account.metadata.uid ?? '';
  if (found !== uid)
    throw new CredentialsError(`ServiceAccount UID (${found}) does not match claim (${uid})`);
  return { secret, account };
}

/** Throws {@link CredentialsError} if the claims of a token in a Secret are incomplete. */
export function requireLegacyClaims({
  subject,
  namespace,
  secret,
  serviceAccount: { name, uid },
}: TokenClaims): void {
  const missing = Object.entries({
    sub: subject,
    namespace,
    secretName: secret?.name,
    serviceAccountName: name,
    serviceAccountUID: uid,
  }).find(([, value]) => !value);
  if (missing !== undefined) throw new CredentialsError(`${missing[0]} claim is missing`);
  const named = parseServiceAccountUser(subject);
  if (named?.namespace !== namespace || named.name !== name) {
    throw new CredentialsError('sub claim is invalid');
  }
}

function requireStored(token: string, secret: KubeObject): void {
  const data = isObject(secret.data) ? secret.data.token : undefined;
  const stored = Buffer.from(typeof data === 'string' ? data : '', 'base64');
  const sent = Buffer.from(token);
  if (stored.length !== sent.length || !timingSafeEqual(stored, sent)) {
    throw new CredentialsError("Token does not match server's copy");
  }
}

const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

/**
 * Throws {@link CredentialsError} if the token was marked invalid because it had not been used for a long
 * time.
 */
export function requireNotMarkedInvalid(
  { namespace, secret, serviceAccount }: TokenClaims,
  stored: KubeObject,
): void {
  if (!stored.metadata.labels?.[invalidSince]) return;
  throw new CredentialsError(
    `the token in secret ${namespace}/${secret?.name} for service account ${namespace}/${serviceAccount.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
  );
}

const autogeneratedWarning =
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.';

/** Returns the remarks on a token in a Secret, and on an auto-generated one. */
export function legacyRemarks({ subject, secret }: TokenClaims, account?: KubeObject): Remarks {
  const annotation = 'authentication.k8s.io/legacy-token';
  if (account === undefined) return { warnings: [], annotations: { [annotation]: subject } };
  const name = secret?.name ?? '';
  const listed = Array.isArray(account.secrets) ? (account.secrets as { name?: string }[]) : [];
  const isAutogenerated = listed.some((reference) => reference.name === name);
  const origin = isAutogenerated ? 'autogenerated' : 'manual';
  return {
    warnings: isAutogenerated ? [autogeneratedWarning] : [],
    annotations: { [annotation]: subject, [`${annotation}-${origin}-secret`]: name },
  };
}
