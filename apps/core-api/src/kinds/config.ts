import type { Authenticator, TokenIssuer } from '@annex/auth';
import type { IpRange } from './core/services/ip-range.ts';

/** The credentials that TokenReviews verify and TokenRequests issue. */
export interface Credentials {
  /** Verifies the tokens of TokenReviews, as it verifies those of requests. */
  authenticator: Authenticator;
  /** Issues the tokens of service accounts; without it the server issues none. */
  tokenIssuer?: TokenIssuer;
}

/** What the built-in kinds depend on. */
export interface CoreKindsConfig extends Credentials {
  serviceClusterIpRange: IpRange;
  /** The number of seconds after which events expire; an hour by default. */
  eventTtlSeconds?: number;
}
