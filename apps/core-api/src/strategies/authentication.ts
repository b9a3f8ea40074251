import {
  answerSelfSubjectReview,
  answerTokenRequest,
  answerTokenReview,
  checkTokenRequest,
  type Authenticator,
  credentialIdOf,
  setTokenRequestDefaults,
  type TokenIssuer,
} from '@annex/auth';
import { badRequest, notFound } from '@annex/machinery';
import type { KindExtension } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';

/** What knows and makes credentials. */
export interface Credentials {
  /** Asked about the tokens of TokenReviews, as requests that have nothing else. */
  authenticator: Authenticator;
  /** Makes the tokens of service accounts; without it the server makes none. */
  tokenIssuer?: TokenIssuer;
}

/** TokenReviews: what this server makes of a bearer token. */
export const tokenReviews = ({ authenticator }: Credentials): KindExtension => ({
  strategy: { answer: (review) => answerTokenReview(review, authenticator) },
});

/** SelfSubjectReviews: who the server takes the client for. */
export const selfSubjectReviews = ({ clock }: ServerDeps): KindExtension => ({
  strategy: { answer: (_review, ctx) => answerSelfSubjectReview(ctx.user, clock.now()) },
});

const serviceAccountResource = { group: '', resource: 'serviceaccounts' };

/** ServiceAccounts, and the tokens that are made for them. */
export const serviceAccounts = ({ clock }: ServerDeps, { tokenIssuer }: Credentials): KindExtension => ({
  subresources: {
    token: {
      echoes: true,
      checkSent: (request, { info }) => checkTokenRequest(request, info),
      setDefaults: setTokenRequestDefaults,
      async create(request, account, ctx) {
        if (tokenIssuer === undefined) throw badRequest('this server has no key to issue tokens with');
        if (account === undefined) throw notFound(serviceAccountResource, ctx.info.name);
        const answer = await answerTokenRequest(request, account, tokenIssuer, clock.now(), (text) =>
          ctx.warnings.push(text),
        );
        const { token } = answer.status as { token: string };
        ctx.audit?.annotate('authentication.kubernetes.io/issued-credential-id', credentialIdOf(token));
        return answer;
      },
    },
  },
});
