import type { Authenticator, TokenIssuer } from '@annex/auth';
import type { IpRange } from './core/services/ip-range.ts';

/** The credentials that TokenReviews verify and TokenRequests issue. */
export interface Credentials {
  /** Verifies the tokens of TokenReviews, and those of requests. */
  authenticator: Authenticator;
  /** Issues service-account tokens; if it is undefined, the server issues none. */
  tokenIssuer?: TokenIssuer;
}

/** The dependencies of the built-in kinds. */
export interface CoreKindsConfig extends Credentials {
  serviceClusterIpRange: IpRange;
  /** The number of seconds after which events expire; an hour by default. */
  eventTtlSeconds?: number;
}
