import {
  goQuote,
  goQuoteList,
  exceedsDepth,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonParse,
} from '@annex/machinery';
import { goJsonType } from '../go-json-type.ts';
import { claimInAnyCase, type IdToken, readIdToken } from './id-token.ts';
import type { Issuer } from './issuer.ts';

/** The requirements on the tokens of an issuer. */
export interface TokenRules {
  audiences: readonly string[];
  /** The accepted signature algorithms. */
  algorithms: readonly string[];
}

const leewayMs = 60_000;
const googleIssuer = 'https://accounts.google.com';

/**
 * Returns the claims of a token that this issuer signed and that is valid at this time (milliseconds).
 * Rejects with go-oidc's message.
 */
export async function verifyToken(
  token: string,
  issuer: Issuer,
  rules: TokenRules,
  now: number,
): Promise<JsonObject> {
  const header = headerOf(token);
  const { alg } = header;
  if (!rules.algorithms.includes(alg)) {
    const expected = goQuoteList(rules.algorithms);
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${expected} got ${goQuote(alg)}`,
    );
  }
  const claims = await signedClaims(token, issuer, header).catch((error: Error) => {
    throw new Error(`failed to verify signature: ${error.message}`);
  });
  const idToken = readIdToken(claims);
  requireIssuer(idToken, issuer.url);
  requireAudience(idToken, rules.audiences);
  requireTime(idToken, now);
  return claims;
}

interface Header {
  alg: string;
  kid: string;
  /** Critical extensions; none is supported. */
  isCritical: boolean;
}

function headerOf(token: string): Header {
  const parts = token.split('.');
  if (parts.length > 3) throw new Error('oidc: malformed jwt');
  for (const part of parts) {
    const invalidAt = part.search(/[^\w-]/);
    if (invalidAt >= 0)
      throw new Error(`oidc: malformed jwt: illegal base64 data at input byte ${invalidAt}`);
  }
  if (parts[0] === '') return { alg: '', kid: '', isCritical: false };
  const header = parts.length === 3 ? decoded(parts[0] as string) : undefined;
  if (header === undefined) throw new Error('oidc: malformed jwt');
  return {
    alg: headerText(header.alg, 'algorithm'),
    kid: headerText(header.kid, 'key ID'),
    isCritical: header.crit !== undefined,
  };
}

function headerText(value: JsonValue | undefined, what: string): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  const why = `json: cannot unmarshal ${goJsonType(value)} into Go value of type string`;
  throw new Error(
    `oidc: malformed jwt: failed to unmarshal ${what}: ${why}: ${goQuote(JSON.stringify(value))}`,
  );
}

async function signedClaims(token: string, issuer: Issuer, { alg, kid, isCritical }: Header) {
  const { compactVerify, importJWK } = await import('jose');
  const payload = await issuer.withKeys(kid, async (jwk) => {
    if (isCritical) return undefined;
    try {
      // A key of one algorithm family does not verify the signatures of another family.
      const key = await importJWK(jwk, alg);
      return (await compactVerify(token, key, { algorithms: [alg] })).payload;
    } catch {
      return undefined;
    }
  });
  const text = Buffer.from(payload).toString('utf8');
  if (exceedsDepth(text)) throw new Error('oidc: failed to unmarshal claims: exceeded max depth');
  const claims: unknown = jsonParse(text);
  if (!isObject(claims as never)) throw new Error('oidc: failed to unmarshal claims');
  return claims as JsonObject;
}

function requireIssuer({ issuer }: IdToken, expected: string): void {
  if (issuer === expected || (expected === googleIssuer && issuer === 'accounts.google.com')) return;
  throw new Error(
    `oidc: id token issued by a different provider, expected ${goQuote(expected)} got ${goQuote(issuer)}`,
  );
}

function requireAudience({ audiences }: IdToken, expected: readonly string[]): void {
  if (expected.some((audience) => audiences.includes(audience))) return;
  const got = goQuoteList(audiences);
  if (expected.length === 1)
    throw new Error(`oidc: expected audience ${goQuote(expected[0] ?? '')} got ${got}`);
  throw new Error(`oidc: expected audience in ${goQuoteList([...expected].sort())} got ${got}`);
}

/** Go converts values beyond the range of its seconds to its least time. */
const mostSeconds = 2 ** 63;

function requireTime({ expiresAt, notBefore }: IdToken, now: number): void {
  const isBeyond = expiresAt !== undefined && Math.abs(expiresAt) >= mostSeconds;
  if (expiresAt === undefined || isBeyond || expiresAt * 1000 < now) {
    const when =
      expiresAt === undefined
        ? '0001-01-01 00:00:00 +0000 UTC'
        : isBeyond
          ? '292277026596-12-04 15:30:08 +0000 UTC'
          : goTime(expiresAt * 1000);
    throw new Error(`oidc: token is expired (Token Expiry: ${when})`);
  }
  if (notBefore !== undefined && now + leewayMs < notBefore * 1000) {
    throw new Error(
      `oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(notBefore * 1000)}`,
    );
  }
}

/** Formats a time as Go does on a machine in UTC. */
const goTime = (milliseconds: number): string =>
  `${new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace('T', ' ').replace('.000Z', '')} +0000 UTC`;

/**
 * Returns the `iss` of a token without verifying its signature. Throws kube-apiserver's message if it is not
 * a JWT.
 */
export function untrustedIssuer(token: string): string {
  if (token.trimStart().startsWith('{')) throw new Error('token is not compact JWT');
  const parts = token.split('.');
  if (parts.length !== 3) throw new Error('malformed token');
  const payload = parts[1] as string;
  const invalidAt = payload.search(/[^\w-]/);
  if (invalidAt >= 0) throw new Error(`error decoding token: illegal base64 data at input byte ${invalidAt}`);
  const claims = decoded(payload);
  if (claims === undefined) throw new Error('while unmarshaling token: no JSON object');
  const iss = claimInAnyCase(claims, 'iss') ?? '';
  if (typeof iss !== 'string') throw new Error('while unmarshaling token: the issuer is not a string');
  return iss === 'accounts.google.com' ? googleIssuer : iss;
}

/** Like `untrustedIssuer`, but returns `undefined` for other texts. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return untrustedIssuer(token);
  } catch {
    return undefined;
  }
}

function decoded(part: string): JsonObject | undefined {
  try {
    const text = Buffer.from(part, 'base64url').toString('utf8');
    if (exceedsDepth(text)) return undefined;
    const value: unknown = jsonParse(text);
    return isObject(value as never) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
