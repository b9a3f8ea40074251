import { isObject, type JsonObject } from '@annex/machinery';
import { goQuote, goQuoteList } from '../go-quote.ts';
import type { Issuer } from './issuer.ts';

/** What tokens of an issuer must be. */
export interface TokenRules {
  audiences: readonly string[];
  /** Signature algorithms that are accepted. */
  algorithms: readonly string[];
}

const leewayMs = 60_000;
const googleIssuer = 'https://accounts.google.com';

/** The claims of a token that this issuer has signed and that holds now (milliseconds). Rejects in go-oidc's words. */
export async function verifyToken(
  token: string,
  issuer: Issuer,
  rules: TokenRules,
  now: number,
): Promise<JsonObject> {
  const { alg, kid } = headerOf(token);
  if (!rules.algorithms.includes(alg)) {
    const expected = goQuoteList(rules.algorithms);
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${expected} got ${goQuote(alg)}`,
    );
  }
  const claims = await signedClaims(token, issuer, alg, kid).catch((error: Error) => {
    throw new Error(`failed to verify signature: ${error.message}`);
  });
  requireIssuer(claims, issuer.url);
  requireAudience(claims, rules.audiences);
  requireTime(claims, now);
  return claims;
}

function headerOf(token: string): { alg: string; kid: string | undefined } {
  const parts = token.split('.');
  if (parts.length > 3) throw new Error('oidc: malformed jwt');
  const header = parts.length === 3 ? decoded(parts[0] as string) : undefined;
  if (header === undefined) throw new Error('oidc: malformed jwt');
  const { alg, kid } = header;
  return { alg: typeof alg === 'string' ? alg : '', kid: typeof kid === 'string' ? kid : undefined };
}

async function signedClaims(token: string, issuer: Issuer, alg: string, kid: string | undefined) {
  const { compactVerify, importJWK } = await import('jose');
  const payload = await issuer.withKeys(kid, async (jwk) => {
    try {
      // A key of a family of its own does not verify what another family signed.
      const key = await importJWK(jwk, alg);
      return (await compactVerify(token, key, { algorithms: [alg] })).payload;
    } catch {
      return undefined;
    }
  });
  const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
  if (!isObject(claims as never)) throw new Error('oidc: failed to unmarshal claims');
  return claims as JsonObject;
}

function requireIssuer({ iss }: JsonObject, wanted: string): void {
  if (iss === wanted || (wanted === googleIssuer && iss === 'accounts.google.com')) return;
  const got = goQuote(typeof iss === 'string' ? iss : '');
  throw new Error(`oidc: id token issued by a different provider, expected ${goQuote(wanted)} got ${got}`);
}

function requireAudience({ aud }: JsonObject, wanted: readonly string[]): void {
  const meant = (Array.isArray(aud) ? aud : [aud]).filter((one) => typeof one === 'string');
  if (wanted.some((audience) => meant.includes(audience))) return;
  const got = goQuoteList(meant);
  if (wanted.length === 1) throw new Error(`oidc: expected audience ${goQuote(wanted[0] ?? '')} got ${got}`);
  throw new Error(`oidc: expected audience in ${goQuoteList([...wanted].sort())} got ${got}`);
}

function requireTime({ exp, nbf }: JsonObject, now: number): void {
  const expires = typeof exp === 'number' ? exp * 1000 : Number.NEGATIVE_INFINITY;
  if (expires < now) {
    const when = typeof exp === 'number' ? goTime(expires) : '0001-01-01 00:00:00 +0000 UTC';
    throw new Error(`oidc: token is expired (Token Expiry: ${when})`);
  }
  if (typeof nbf === 'number' && now + leewayMs < nbf * 1000) {
    throw new Error(
      `oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(nbf * 1000)}`,
    );
  }
}

/** A moment as Go prints it where the clock of the machine is UTC. */
const goTime = (milliseconds: number): string =>
  `${new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().replace('T', ' ').replace('.000Z', '')} +0000 UTC`;

/** The `iss` of a token whose signature nobody checked; `undefined` where it is no token of the kind. */
export function claimedIssuer(token: string): string | undefined {
  const parts = token.split('.');
  const iss = parts.length === 3 ? decoded(parts[1] as string)?.iss : undefined;
  if (typeof iss !== 'string') return undefined;
  return iss === 'accounts.google.com' ? googleIssuer : iss;
}

function decoded(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value as never) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
