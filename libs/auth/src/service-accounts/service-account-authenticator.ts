import { createHash } from 'node:crypto';
import {
  findDuplicateFields,
  goQuoteList,
  isObject,
  type JsonValue,
  type KubeObject,
} from '@annex/machinery';
import { atOnce } from '@annex/runtime';
import { bearerTokenAuthenticator, type TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { BoundObjects } from './bound-objects.ts';
import {
  legacyClaims,
  legacyIssuer,
  legacyRemarks,
  requireLegacyClaims,
  requireLegacyObjects,
  requireNotMarkedInvalid,
} from './legacy-token.ts';
import { serviceAccountGroups, serviceAccountUser } from './service-account-name.ts';
import { type TokenClaims, tokenClaims, unverifiedIssuer } from './token-claims.ts';
import { type VerificationKey, verificationKeys } from './token-keys.ts';
import { requireBoundObjects, requireValidTime, staleRemarks } from './token-validation.ts';
import { type Authenticated, type Authenticator, CredentialsError, type Remarks } from '../types.ts';
import { credentialIdKey } from '../authn/x509-authenticator.ts';

/** The `--service-account-*` and `--api-audiences` options, and where bound objects are found. */
export interface ServiceAccountOptions {
  /** Accepted `iss` claims. */
  issuers: readonly string[];
  /** PEM files of keys that verify tokens. */
  keys: readonly string[];
  /** The audiences of this server. */
  audiences: readonly string[];
  /** Tokens in Secrets must still be there; true, where left out. */
  lookup?: boolean;
  objects: BoundObjects;
  /** Called with the Secret of each token that is used, before the request goes on. */
  noteUse?: (secret: KubeObject) => Promise<void> | void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Authenticates requests by service-account tokens alone. */
export const serviceAccountAuthenticator = (options: ServiceAccountOptions): Authenticator =>
  bearerTokenAuthenticator([serviceAccountTokens(options)]);

/** A token whose signature was checked, with the users it stands for by the audiences that were asked for. */
interface VerifiedToken {
  claims: TokenClaims;
  answers: Map<string, Authenticated>;
}

export const maxServiceAccountTokens = 10_000;
const name = 'service-account';

/**
 * Knows the tokens that service accounts get: signed by one of the keys, meant for this server, not expired, and bound to
 * objects that are still there, or kept in a Secret that still holds them. Signatures are checked once for each token, everything else at each request.
 */
export function serviceAccountTokens(options: ServiceAccountOptions): TokenAuthenticator {
  const keys = options.keys.flatMap(verificationKeys);
  const issuers = new Set([...options.issuers, legacyIssuer]);
  const now = options.now ?? Date.now;
  const verified = new Map<string, VerifiedToken>();
  const verify = async (token: string): Promise<VerifiedToken | undefined> => {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = verified.get(digest);
    if (known !== undefined) return known;
    const issuer = unverifiedIssuer(token);
    const header = headerOf(token);
    if (issuer === undefined || !issuers.has(issuer) || header === undefined) return undefined;
    const payload = await verifiedPayload(token, header.kid, keys);
    const claims = issuer === legacyIssuer ? legacyClaims(payload) : tokenClaims(payload);
    const checked = { claims, answers: new Map() };
    verified.set(digest, checked);
    if (verified.size > maxServiceAccountTokens) verified.delete(verified.keys().next().value as string);
    return checked;
  };
  return {
    name,
    async authenticateToken(token, asked) {
      const known = await verify(token);
      if (known === undefined) return undefined;
      const { claims, answers } = known;
      const wanted = asked ?? options.audiences;
      const audiences = commonAudiences(claims, wanted, options.audiences);
      const standing = requireStanding(token, claims, options, now());
      const remarks = standing instanceof Promise ? await standing : standing;
      const key = JSON.stringify(audiences);
      let answer = answers.get(key);
      if (answer === undefined) answers.set(key, (answer = { user: tokenUser(claims), by: name, audiences }));
      return remarks ? { ...answer, remarks } : answer;
    },
  };
}

/** Throws {@link CredentialsError} where the token does not hold now. Synchronous while lookups are. */
function requireStanding(
  token: string,
  claims: TokenClaims,
  options: ServiceAccountOptions,
  now: number,
): Remarks | undefined | Promise<Remarks | undefined> {
  const { objects, lookup = true } = options;
  if (claims.issuer === legacyIssuer) {
    requireLegacyClaims(claims);
    return lookup ? legacyStanding(token, claims, options) : legacyRemarks(claims);
  }
  requireValidTime(claims, now);
  return atOnce(requireBoundObjects(claims, objects, now), () => staleRemarks(claims, now));
}

async function legacyStanding(
  token: string,
  claims: TokenClaims,
  { objects, noteUse }: ServiceAccountOptions,
): Promise<Remarks> {
  const { secret, account } = await requireLegacyObjects(token, claims, objects);
  await noteUse?.(secret);
  requireNotMarkedInvalid(claims, secret);
  return legacyRemarks(claims, account);
}

const encoded = /^[\w-]*(?:\.[\w-]*){2}$/;

/** The header of a token, which may be empty; `undefined` where it is none, and the token not ours. */
function headerOf(token: string): { kid: string } | undefined {
  if (!encoded.test(token)) return undefined;
  const text = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8');
  try {
    const header = JSON.parse(text || '{}') as JsonValue;
    if (!isObject(header) || findDuplicateFields(text, header).length > 0) return undefined;
    const { alg, kid } = header;
    if (![alg, kid].every((value) => value == null || typeof value === 'string')) return undefined;
    return { kid: typeof kid === 'string' ? kid : '' };
  } catch {
    return undefined;
  }
}

async function verifiedPayload(
  token: string,
  id: string,
  keys: readonly VerificationKey[],
): Promise<JsonValue> {
  const candidates = id === '' ? keys : keys.filter((key) => key.id === id);
  if (candidates.length === 0) throw new CredentialsError('invalid signature, no keys found');
  for (const key of candidates) {
    const payload = await signedPayload(token, key);
    if (payload !== undefined) return uniqueClaims(payload);
  }
  throw new CredentialsError('go-jose/go-jose: error in cryptographic primitive');
}

/** As go-jose, which refuses names that stand twice in an object. */
function uniqueClaims(text: string): JsonValue {
  const payload = JSON.parse(text) as JsonValue;
  const [twice] = findDuplicateFields(text, payload);
  if (twice === undefined) return payload;
  const path = JSON.parse(twice.slice('duplicate field '.length)) as string;
  const isClaim = isObject(payload) && Object.hasOwn(payload, path);
  const name = isClaim ? path : path.slice(path.lastIndexOf('.') + 1);
  throw new CredentialsError(`json: duplicate key '${name}' in object`);
}

async function signedPayload(
  token: string,
  { key, algorithms }: VerificationKey,
): Promise<string | undefined> {
  const { compactVerify } = await import('jose');
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [...algorithms] });
    return Buffer.from(payload).toString('utf8');
  } catch {
    // Another key may fit; jose's own words could repeat parts of the token.
    return undefined;
  }
}

function commonAudiences(claims: TokenClaims, wanted: readonly string[], own: readonly string[]): string[] {
  const meant = claims.audiences.length === 0 ? own : claims.audiences;
  const common = wanted.filter((audience) => meant.includes(audience));
  if (common.length > 0 || own.length === 0) return common;
  throw new CredentialsError(
    `token audiences ${goQuoteList(meant)} is invalid for the target audiences ${goQuoteList(wanted)}`,
  );
}

function tokenUser({ namespace, serviceAccount, pod, node, id }: TokenClaims): Authenticated['user'] {
  const prefix = 'authentication.kubernetes.io/';
  const extra: Record<string, string[]> = {};
  if (id !== undefined) extra[credentialIdKey] = [`JTI=${id}`];
  if (pod !== undefined) {
    extra[`${prefix}pod-name`] = [pod.name];
    extra[`${prefix}pod-uid`] = [pod.uid];
  }
  if (node !== undefined && node.name !== '') extra[`${prefix}node-name`] = [node.name];
  if (node !== undefined && node.uid !== '') extra[`${prefix}node-uid`] = [node.uid];
  return {
    name: serviceAccountUser(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: serviceAccountGroups(namespace),
    extra,
  };
}
