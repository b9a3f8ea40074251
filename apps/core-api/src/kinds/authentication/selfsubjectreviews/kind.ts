import { reviewSelfSubject } from '@annex/auth';
import type { ServerDeps } from '@annex/server';
import type { BuiltinKind } from '../../builtin-kind.ts';

/** SelfSubjectReviews return the user that the server authenticated. */
export const selfSubjectReviews = ({ clock }: ServerDeps): BuiltinKind => ({
  group: 'authentication.k8s.io',
  resource: 'selfsubjectreviews',
  strategy: { respond: (_review, request) => reviewSelfSubject(request.user, clock.now()) },
});
