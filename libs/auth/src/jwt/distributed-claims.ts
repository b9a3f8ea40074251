import { goQuote, isObject, type JsonValue, parseUrl, UrlError } from '@annex/machinery';
import type { Clock, Dial } from '@annex/runtime';
import { Claims } from './claims.ts';
import type { IssuerConfiguration } from './configuration.ts';
import { goJsonType } from '../go-json-type.ts';
import { Issuer } from './issuer.ts';
import { type TokenRules, untrustedIssuer, verifyToken } from './verify-token.ts';

/** The source of a distributed claim: an endpoint that returns a token with it. */
interface Source {
  endpoint: string;
  accessToken: string;
}

/**
 * Issuers that one authenticator discovers through claim endpoints: a trusted endpoint may name any number of
 * issuers.
 */
export const maxClaimIssuers = 64;

/**
 * Fetches a claim that a token only points to. Source: OpenID Connect Core 1.0, section 5.6.2, "Aggregated
 * and Distributed Claims".
 */
export class DistributedClaims {
  readonly #claim: string;
  readonly #of: IssuerConfiguration;
  readonly #own: Issuer;
  readonly #rules: TokenRules;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  readonly #dial: Dial | undefined;
  readonly #issuers = new Map<string, Issuer>();

  /** `own` is the issuer whose tokens point to the claim. */
  constructor(
    claim: string,
    {
      of,
      own,
      rules,
      clock,
      dial,
    }: {
      of: IssuerConfiguration;
      own: Issuer;
      rules: TokenRules;
      clock: Pick<Clock, 'now' | 'sleep'>;
      dial?: Dial | undefined;
    },
  ) {
    this.#claim = claim;
    this.#of = of;
    this.#own = own;
    this.#rules = rules;
    this.#clock = clock;
    this.#dial = dial;
  }

  /** Resolves to the claims with the distributed one added. Rejects with kube-apiserver's message. */
  async expanded(claims: Claims): Promise<Claims> {
    const source = sourceOf(claims, this.#claim);
    return source === undefined ? claims : await this.#resolved(claims, source);
  }

  stop(): void {
    for (const issuer of this.#issuers.values()) issuer.stop();
  }

  async #resolved(claims: Claims, source: Source): Promise<Claims> {
    const claim = this.#claim;
    const token = await this.#fetched(source);
    const url = issuerOf(token, source, claim);
    const issuer = await this.#issuer(url);
    if (issuer === undefined) {
      const why = `verifier not initialized for issuer: ${goQuote(url)}`;
      throw new Error(`verifying untrusted issuer ${url} failed: ${why}`);
    }
    const distributed = await verifyToken(token.trim(), issuer, this.#rules, this.#clock.now()).catch(
      (error: Error) => {
        throw new Error(`verify distributed claim token: ${error.message}`);
      },
    );
    if (!Object.hasOwn(distributed, claim)) {
      const endpoint = goQuote(source.endpoint);
      throw new Error(
        `jwt returned by distributed claim endpoint ${endpoint} did not contain claim: ${claim}`,
      );
    }
    return new Claims({ ...claims.json, [claim]: distributed[claim] as JsonValue });
  }

  async #fetched({ endpoint, accessToken }: Source): Promise<string> {
    const failed = (why: string) =>
      new Error(`while getting distributed claim ${goQuote(this.#claim)}: ${why}`);
    requireUrl(endpoint, failed);
    const response = await this.#own.fetcher.get(endpoint, accessToken).catch((error: Error) => {
      throw failed(`Get ${goQuote(endpoint)}: ${error.message}`);
    });
    if (response.status < 200 || response.status > 226) {
      throw failed(`error while getting distributed claim JWT: ${response.statusLine}`);
    }
    return response.text;
  }

  /** The first token of an unknown issuer starts its discovery. */
  async #issuer(url: string): Promise<Issuer | undefined> {
    if (url === this.#of.url) return this.#own;
    let issuer = this.#issuers.get(url);
    if (issuer === undefined) {
      if (this.#issuers.size >= maxClaimIssuers) return undefined;
      issuer = new Issuer({ ...this.#of, url, discoveryURL: '' }, this.#clock, this.#dial);
      this.#issuers.set(url, issuer);
      await issuer.firstAttempt();
    }
    return issuer.isConnected ? issuer : undefined;
  }
}

/** Returns where a claim is requested; `undefined` if the token has it, or does not mention it. */
function sourceOf(claims: Claims, claim: string): Source | undefined {
  if (claims.has(claim) || !claims.has('_claim_names')) return undefined;
  const names = claims.json._claim_names;
  if (!claims.has('_claim_sources')) throw new Error('oidc: no claim sources');
  const sources = claims.json._claim_sources;
  requireSources(sources);
  const name = isObject(names) && Object.hasOwn(names, claim) ? names[claim] : undefined;
  if (typeof name !== 'string') return undefined;
  if (!isObject(sources) || !Object.hasOwn(sources, name)) {
    throw new Error(`id token _claim_names contained a source ${name} missing in _claims_sources`);
  }
  const { endpoint, access_token: accessToken } = (sources[name] ?? {}) as Record<string, string | undefined>;
  // A source without an endpoint may be an aggregated claim, which is not read.
  return endpoint ? { endpoint, accessToken: accessToken ?? '' } : undefined;
}

/** The other fields of sources were checked with the claims of the token. */
function requireSources(sources: JsonValue | undefined): void {
  for (const source of isObject(sources) ? Object.values(sources) : []) {
    const jwt = isObject(source) ? (source.JWT ?? '') : '';
    if (typeof jwt === 'string') continue;
    const why = `json: cannot unmarshal ${goJsonType(jwt)} into Go struct field endpoint.JWT of type string`;
    throw new Error(`oidc: could not parse claim sources: ${why}`);
  }
}

function requireUrl(endpoint: string, failed: (why: string) => Error): void {
  let scheme;
  try {
    ({ scheme } = parseUrl(endpoint));
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    throw failed(`while calling ${endpoint}: ${error.message}`);
  }
  if (scheme === 'http' || scheme === 'https') return;
  throw failed(`Get ${goQuote(endpoint)}: unsupported protocol scheme ${goQuote(scheme)}`);
}

function issuerOf(token: string, { endpoint }: Source, claim: string): string {
  try {
    return untrustedIssuer(token);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(
      `getting untrusted issuer from endpoint ${endpoint} failed for claim ${goQuote(claim)}: ${why}`,
      { cause: error },
    );
  }
}
