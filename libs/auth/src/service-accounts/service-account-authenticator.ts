import { createHash } from 'node:crypto';
import {
  findDuplicateFields,
  goQuoteList,
  isObject,
  type JsonValue,
  type KubeObject,
  jsonParse,
} from '@annex/machinery';
import { mapMaybePromise } from '@annex/runtime';
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

/** The `--service-account-*` and `--api-audiences` options, and the source of bound objects. */
export interface ServiceAccountOptions {
  /** Accepted `iss` claims. */
  issuers: readonly string[];
  /** PEM files of keys that verify tokens. */
  keys: readonly string[];
  /** The audiences of this server. */
  audiences: readonly string[];
  /** Requires that the Secrets of tokens still exist; default: true. */
  lookup?: boolean;
  objects: BoundObjects;
  /** Called with the Secret of each token that is used, before the request continues. */
  noteUse?: (secret: KubeObject) => Promise<void> | void;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Tokens in the cache of verified signatures; default: {@link maxServiceAccountTokens}. */
  maxTokens?: number;
}

/** Authenticates requests by service-account tokens alone. */
export const serviceAccountAuthenticator = (options: ServiceAccountOptions): Authenticator =>
  bearerTokenAuthenticator([serviceAccountTokens(options)]);

/** A token with a verified signature, and its users by the requested audiences. */
interface VerifiedToken {
  claims: TokenClaims;
  results: Map<string, Authenticated>;
}

/** Tokens in the cache of verified signatures; the oldest is removed. */
export const maxServiceAccountTokens = 10_000;
const name = 'service-account';

/**
 * Authenticates service-account tokens. One of the keys signed them, this server is an audience, and they are
 * not expired. Their bound objects still exist, or their Secret still contains them. Signatures are checked
 * once for each token, everything else at each request.
 */
export function serviceAccountTokens(options: ServiceAccountOptions): TokenAuthenticator {
  const keys = options.keys.flatMap(verificationKeys);
  const issuers = new Set([...options.issuers, legacyIssuer]);
  const { now = Date.now, maxTokens = maxServiceAccountTokens } = options;
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
    const checked = { claims, results: new Map() };
    verified.set(digest, checked);
    if (verified.size > maxTokens) verified.delete(verified.keys().next().value as string);
    return checked;
  };
  return {
    name,
    async authenticateToken(token, requested) {
      const known = await verify(token);
      if (known === undefined) return undefined;
      const { claims, results } = known;
      const targets = requested ?? options.audiences;
      const audiences = commonAudiences(claims, targets, options.audiences);
      const check = requireValid(token, claims, options, now());
      const remarks = check instanceof Promise ? await check : check;
      const key = JSON.stringify(audiences);
      let result = results.get(key);
      if (result === undefined) results.set(key, (result = { user: tokenUser(claims), by: name, audiences }));
      return remarks ? { ...result, remarks } : result;
    },
  };
}

/** Throws {@link CredentialsError} if the token is invalid at this time. Synchronous if lookups are. */
function requireValid(
  token: string,
  claims: TokenClaims,
  options: ServiceAccountOptions,
  now: number,
): Remarks | undefined | Promise<Remarks | undefined> {
  const { objects, lookup = true } = options;
  if (claims.issuer === legacyIssuer) {
    requireLegacyClaims(claims);
    return lookup ? requireLegacyValid(token, claims, options) : legacyRemarks(claims);
  }
  requireValidTime(claims, now);
  return mapMaybePromise(requireBoundObjects(claims, objects, now), () => staleRemarks(claims, now));
}

async function requireLegacyValid(
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

/** Returns the header of a token, which may be empty; `undefined` if it is not a service-account token. */
function headerOf(token: string): { kid: string } | undefined {
  if (!encoded.test(token)) return undefined;
  const text = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8');
  try {
    const header = jsonParse(text || '{}') as JsonValue;
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

/** Refuses duplicate member names, as go-jose does. */
function uniqueClaims(text: string): JsonValue {
  const payload = jsonParse(text) as JsonValue;
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
    // Another key may match. jose's message is dropped because it could repeat parts of the token.
    return undefined;
  }
}

function commonAudiences(claims: TokenClaims, targets: readonly string[], own: readonly string[]): string[] {
  const meant = claims.audiences.length === 0 ? own : claims.audiences;
  const common = targets.filter((audience) => meant.includes(audience));
  if (common.length > 0 || own.length === 0) return common;
  throw new CredentialsError(
    `token audiences ${goQuoteList(meant)} is invalid for the target audiences ${goQuoteList(targets)}`,
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
