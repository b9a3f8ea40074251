import { goQuote, isObject, jsonParse } from '@annex/machinery';
import type { Clock, Dial } from '@annex/runtime';
import type { JWK } from 'jose';
import type { IssuerConfiguration } from './configuration.ts';
import { type TextResponse, type TextFetcher, textFetcher } from './fetch-text.ts';

/** Keys of one issuer: a token without a key ID is verified with each of them. Large issuers have ten. */
export const maxIssuerKeys = 256;
/** Characters of an issuer's response that an error quotes; each attempt logs it. */
export const maxIssuerErrorText = 2048;

const wellKnown = '/.well-known/openid-configuration';
const pauseMs = { first: 500, most: 10_000 };
/** Keys expire this much earlier than their response says. */
const expiryMarginMs = 30_000;

/** A token issuer with its OpenID Connect discovery document and its current keys. */
export class Issuer {
  readonly url: string;
  /** The reason why tokens cannot be verified yet; `undefined` if they can. */
  problem: string | undefined;
  readonly fetcher: TextFetcher;
  readonly #discoveryUrl: string;
  readonly #clock: Pick<Clock, 'now' | 'sleep'>;
  #stopped = false;
  #keysUrl: string | undefined;
  #keys: readonly JWK[] = [];
  #freshUntil = 0;
  #refreshing: Promise<void> | undefined;

  constructor(
    { url, discoveryURL, certificateAuthority }: IssuerConfiguration,
    clock: Pick<Clock, 'now' | 'sleep'>,
    dial?: Dial,
  ) {
    this.url = url;
    this.problem = `oidc: authenticator for issuer ${goQuote(url)} is not initialized`;
    this.#discoveryUrl = discoveryURL || url.replace(/\/$/, '') + wellKnown;
    this.fetcher = textFetcher(certificateAuthority || undefined, dial);
    this.#clock = clock;
  }

  /** Requests the discovery document until it succeeds: the cluster may serve its own issuers. */
  async connect(onFailure: (error: Error) => void = () => {}): Promise<void> {
    for (let pause = pauseMs.first; !this.#stopped; pause = Math.min(2 * pause, pauseMs.most)) {
      try {
        this.#keysUrl = await this.#discover();
        this.problem = undefined;
        return;
      } catch (error) {
        if (this.#stopped) return;
        this.problem = (error as Error).message;
        onFailure(error as Error);
      }
      await this.#clock.sleep(pause);
    }
  }

  /** Resolves after the first attempt, successful or not; further attempts follow in the background. */
  async firstAttempt(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.connect(() => resolve()).then(resolve);
    await promise;
  }

  get isConnected(): boolean {
    return this.#keysUrl !== undefined;
  }

  stop(): void {
    this.#stopped = true;
    this.fetcher.close();
  }

  /**
   * Tries the keys that may have signed a token, and fetches new keys if none of the cached ones did.
   * Resolves to the first result. Rejects with go-oidc's message.
   */
  async withKeys<T>(keyId: string | undefined, attempt: (key: JWK) => Promise<T | undefined>): Promise<T> {
    const found = (await this.#tryKeys(keyId, attempt)) ?? undefined;
    if (found !== undefined) return found;
    if (this.#clock.now() + expiryMarginMs > this.#freshUntil) {
      await (this.#refreshing ??= this.#refresh().finally(() => (this.#refreshing = undefined)));
      const later = await this.#tryKeys(keyId, attempt);
      if (later !== undefined) return later;
    }
    throw new Error('failed to verify id token signature');
  }

  async #tryKeys<T>(keyId: string | undefined, attempt: (key: JWK) => Promise<T | undefined>) {
    for (const key of this.#keys) {
      if (keyId && key.kid !== keyId) continue;
      const result = await attempt(key);
      if (result !== undefined) return result;
    }
    return undefined;
  }

  async #discover(): Promise<string> {
    const response = await this.fetcher.get(this.#discoveryUrl);
    if (response.status !== 200) {
      throw new Error(`${response.statusLine}: ${response.text.slice(0, maxIssuerErrorText)}`);
    }
    const { issuer, jwks_uri: keys } = jsonOf(response, 'oidc: failed to decode provider discovery object');
    if (issuer !== this.url) {
      const [expected, got] = [goQuote(this.url), goQuote(String(issuer ?? ''))];
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${expected} got ${got}`,
      );
    }
    if (typeof keys !== 'string' || keys === '') throw new Error('provider did not return JWKS URL');
    if (!keys.startsWith('https://')) throw new Error(`the JWKS URL ${goQuote(keys)} is not an https URL`);
    return keys;
  }

  async #refresh(): Promise<void> {
    let response;
    try {
      response = await this.fetcher.get(this.#keysUrl as string);
    } catch (error) {
      throw new Error(`fetching keys oidc: get keys failed ${(error as Error).message}`, { cause: error });
    }
    if (response.status !== 200)
      throw new Error(`fetching keys oidc: get keys failed: ${response.statusLine}`);
    const { keys } = jsonOf(response, 'fetching keys oidc: failed to decode keys');
    if (Array.isArray(keys) && keys.length > maxIssuerKeys) {
      throw new Error(`fetching keys oidc: the issuer has more than ${maxIssuerKeys} keys`);
    }
    this.#keys = Array.isArray(keys) ? (keys.filter(isObject) as unknown as JWK[]) : [];
    this.#freshUntil = this.#clock.now() + maxAgeMs(response.cacheControl);
  }
}

function jsonOf({ text }: TextResponse, what: string): Record<string, unknown> {
  try {
    const value: unknown = jsonParse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The caller reports the error.
  }
  throw new Error(`${what}: no JSON object`);
}

/** RFC 9111: how long a response may be cached; 0 if it does not say. */
function maxAgeMs(cacheControl: string): number {
  if (/no-store|no-cache/i.test(cacheControl)) return 0;
  const seconds = /(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1];
  return seconds === undefined ? 0 : Number(seconds) * 1000;
}
