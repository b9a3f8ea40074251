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

/** The issuer of tokens that are kept in Secrets, whatever other tokens say. */
export const legacyIssuer = 'kubernetes/serviceaccount';

const prefix = 'kubernetes.io/serviceaccount/';

/** Issues a token that holds until its Secret or its service account is gone. */
export type LegacyTokenIssuer = (serviceAccount: KubeObject, secretName: string) => Promise<string>;

/** An issuer that signs with one key, PEM. Throws where the key cannot sign. */
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

/** Reads the claims of a token in a Secret. Throws {@link CredentialsError} where they are of other types. */
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

/** Throws {@link CredentialsError}, in kube's words, where the Secret no longer holds this token, or its account is gone. */
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
  requireKept(token, secret);
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

/** Throws {@link CredentialsError} where the claims of a token in a Secret are not complete. */
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

function requireKept(token: string, secret: KubeObject): void {
  const data = isObject(secret.data) ? secret.data.token : undefined;
  const kept = Buffer.from(typeof data === 'string' ? data : '', 'base64');
  const given = Buffer.from(token);
  if (kept.length !== given.length || !timingSafeEqual(kept, given)) {
    throw new CredentialsError("Token does not match server's copy");
  }
}

const invalidSince = 'kubernetes.io/legacy-token-invalid-since';

/** Throws {@link CredentialsError} where nobody used the token for so long that it was marked. */
export function requireNotMarkedInvalid(
  { namespace, secret, serviceAccount }: TokenClaims,
  kept: KubeObject,
): void {
  if (!kept.metadata.labels?.[invalidSince]) return;
  throw new CredentialsError(
    `the token in secret ${namespace}/${secret?.name} for service account ${namespace}/${serviceAccount.name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
  );
}

const autogeneratedWarning =
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.';

/** What is said of a token in a Secret, and of one that was made for every service account in earlier times. */
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
