import { reviewToken } from '@annex/auth';
import type { BuiltinKind } from '../../builtin-kind.ts';
import type { Credentials } from '../../config.ts';

/** TokenReviews return the user of a bearer token. */
export const tokenReviews = ({ authenticator }: Credentials): BuiltinKind => ({
  group: 'authentication.k8s.io',
  resource: 'tokenreviews',
  strategy: { respond: (review) => reviewToken(review, authenticator) },
});
