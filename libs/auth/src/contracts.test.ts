import type { KubeObject } from '@annex/machinery';
import { authenticatorContract } from './authn/authenticator.contract.ts';
import { authorizerContract } from './authz/authorizer.contract.ts';
import { bearerTokenAuthenticator } from './authn/bearer-token-authenticator.ts';
import type { BoundObjects } from './service-accounts/bound-objects.ts';
import { delegatedAuthorizer, type ReviewClient } from './authz/delegated-authorizer.ts';
import { delegatedTokens } from './authn/delegated-authenticator.ts';
import { issueClientCertificate, createCA, newPrivateKey, publicKeyOf } from './pki/pki-certificate.ts';
import { rbacAuthorizer } from './authz/rbac-authorizer.ts';
import { requestHeaderAuthenticator } from './authn/request-header-authenticator.ts';
import { reviewToken } from './authz/reviews.ts';
import { serviceAccountAuthenticator } from './service-accounts/service-account-authenticator.ts';
import { credentialsOf } from './authn/peers.fixture.ts';
import { createTokenIssuer } from './service-accounts/token-issuer.ts';
import { requestToken } from './service-accounts/token-request.ts';
import { ask } from './authz/rbac.fixture.ts';
import type { Authenticator, Authorizer } from './types.ts';
import { unionAuthorizer } from './authz/union-authorizer.ts';
import { x509Authenticator } from './authn/x509-authenticator.ts';

/** Serves SubjectAccessReviews with an authorizer, as the API server does. */
const accessReviews = (authorizer: Authorizer): ReviewClient => ({
  async json<T>({ body }: { body: unknown }) {
    const { spec } = body as {
      spec: {
        user: string;
        groups?: string[];
        resourceAttributes?: Record<string, string>;
        nonResourceAttributes?: Record<string, string>;
      };
    };
    const {
      group: apiGroup = '',
      resource = '',
      subresource = '',
      path = '',
      verb = '',
      ...rest
    } = {
      ...spec.resourceAttributes,
      ...spec.nonResourceAttributes,
    };
    const user = { name: spec.user, groups: spec.groups ?? [], extra: {} };
    const what = path || `${resource}${subresource === '' ? '' : `/${subresource}`}`;
    const { decision, reason } = await authorizer.authorize(ask(user, verb, what, { apiGroup, ...rest }));
    return { status: { allowed: decision === 'allow', reason } } as T;
  },
});

authorizerContract('RBAC', { open: (fixture) => rbacAuthorizer(fixture.feed) });
authorizerContract('union', { open: (fixture) => unionAuthorizer([rbacAuthorizer(fixture.feed)]) });
authorizerContract('delegated', {
  open: (fixture) => delegatedAuthorizer({ client: accessReviews(rbacAuthorizer(fixture.feed)) }),
});

const key = newPrivateKey();
const ca = createCA('ca');
const otherCa = createCA('other');
const certificate = async (user: string, issuer = ca) =>
  (await issueClientCertificate(await issuer, { user, groups: ['g'] }, { key: await key })).cert;
const bearer = (token: string) => credentialsOf([], [['Authorization', `Bearer ${token}`]]);

authenticatorContract('x509', {
  open: async () => x509Authenticator({ caPem: (await ca).cert }),
  good: async () => ({ credentials: credentialsOf([await certificate('bob')]), user: { name: 'bob' } }),
  bad: async () => ({ 'another authority': credentialsOf([await certificate('bob', otherCa)]) }),
  foreign: async () => ({ 'a token': bearer('abc') }),
});

authenticatorContract('request header', {
  open: async () =>
    requestHeaderAuthenticator({
      caPem: (await ca).cert,
      allowedNames: ['proxy'],
      usernameHeaders: ['X-Remote-User'],
      groupHeaders: ['X-Remote-Group'],
      uidHeaders: ['X-Remote-Uid'],
      extraHeadersPrefix: ['X-Remote-Extra-'],
    }),
  good: async () => ({
    credentials: credentialsOf(
      [await certificate('proxy')],
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Extra-Scopes', 's'],
      ],
    ),
    user: { name: 'bob' },
  }),
  bad: async () => ({
    'another name': credentialsOf([await certificate('other')], [['X-Remote-User', 'bob']]),
    'another authority': credentialsOf([await certificate('proxy', otherCa)], [['X-Remote-User', 'bob']]),
  }),
  foreign: async () => ({
    'headers without a certificate': credentialsOf([], [['X-Remote-User', 'root']]),
    'a token': bearer('abc'),
  }),
});

const issuer = 'https://kubernetes.default.svc';
const account: KubeObject = { metadata: { name: 'builder', namespace: 'ci', uid: 'u' } };
const objects: BoundObjects = {
  get: (_resource, _namespace, name) => (name === 'builder' ? account : undefined),
};
const tokens = async () =>
  serviceAccountAuthenticator({
    issuers: [issuer],
    keys: [publicKeyOf(await key)],
    audiences: [issuer],
    objects,
  });
const token = async (spec: Record<string, unknown>, signedBy = key) => {
  const by = createTokenIssuer({ issuer, key: await signedBy, audiences: [issuer], objects });
  const { status } = await requestToken({ metadata: {}, spec }, account, by, Date.now());
  return (status as { token: string }).token;
};
const tokenCases = {
  good: async () => ({
    credentials: bearer(await token({})),
    user: { name: 'system:serviceaccount:ci:builder' },
  }),
  bad: async () => ({
    garbage: bearer('garbage'),
    'another key': bearer(await token({}, newPrivateKey())),
    'another audience': bearer(await token({ audiences: ['vault'] })),
  }),
  foreign: async () => ({ 'a certificate': credentialsOf([await certificate('bob')]) }),
};

authenticatorContract('service-account token', { open: tokens, ...tokenCases });

/** Serves TokenReviews with an authenticator, as the API server does. */
const tokenReviews = (authenticator: Authenticator): ReviewClient => ({
  json: async <T>({ body }: { body: unknown }) => (await reviewToken(body as KubeObject, authenticator)) as T,
});

authenticatorContract('delegated token', {
  open: async () => bearerTokenAuthenticator([delegatedTokens({ client: tokenReviews(await tokens()) })]),
  ...tokenCases,
  unsupported: {
    'leaves the group system:authenticated to the union': 'the API server has added it already',
  },
});
