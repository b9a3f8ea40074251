import { sign } from 'node:crypto';
import { type KubeObject, StatusError } from '@annex/machinery';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anonymousAuthenticator } from '../authn/anonymous-authenticator.ts';
import { bearerToken } from '../authn/bearer-token-authenticator.ts';
import type { BoundObjects } from './bound-objects.ts';
import { newPrivateKey, publicKeyOf } from '../pki/pki-certificate.ts';
import { reviewSelfSubject, reviewToken } from '../authz/reviews.ts';
import {
  maxServiceAccountTokens,
  serviceAccountAuthenticator,
  serviceAccountTokens,
} from './service-account-authenticator.ts';
import { createTokenIssuer, type TokenIssuer } from './token-issuer.ts';
import { requestToken, checkTokenRequest } from './token-request.ts';
import { type Authenticator, CredentialsError } from '../types.ts';
import { unionAuthenticator } from '../authn/union-authenticator.ts';

const issuerName = 'https://kubernetes.default.svc';
let key: string;
let otherKey: string;
beforeAll(async () => {
  [key, otherKey] = await Promise.all([newPrivateKey(), newPrivateKey()]);
});

const account: KubeObject = { metadata: { name: 'builder', namespace: 'ci', uid: 'sa-1' } };
let stored: Map<string, KubeObject>;
let now: number;
let issuer: TokenIssuer;
let authenticator: Authenticator;
const objects: BoundObjects = {
  get: (resource, namespace, name) => stored.get(`${resource}/${namespace}/${name}`),
};

beforeEach(() => {
  now = Date.parse('2030-01-01T00:00:00Z');
  stored = new Map([
    ['serviceaccounts/ci/builder', account],
    ['secrets/ci/s', { metadata: { name: 's', namespace: 'ci', uid: 'secret-1' } }],
    [
      'pods/ci/p',
      {
        metadata: { name: 'p', namespace: 'ci', uid: 'pod-1' },
        spec: { serviceAccountName: 'builder', nodeName: 'n' },
      },
    ],
  ]);
  issuer = createTokenIssuer({ issuer: issuerName, key, audiences: [issuerName], objects });
  authenticator = unionAuthenticator(
    [
      serviceAccountAuthenticator({
        issuers: [issuerName],
        keys: [publicKeyOf(key)],
        audiences: [issuerName],
        objects,
        now: () => now,
      }),
    ],
    anonymousAuthenticator,
  );
});

const request = async (spec: Record<string, unknown> = {}, by: TokenIssuer = issuer) => {
  const result = await requestToken({ metadata: {}, spec }, account, by, now);
  return result as unknown as {
    spec: Record<string, unknown>;
    status: { token: string; expirationTimestamp: string };
  };
};
const tokenFor = async (spec: Record<string, unknown> = {}, by?: TokenIssuer) =>
  (await request(spec, by)).status.token;

const login = async (authorization: string) => {
  try {
    const result = await authenticator.authenticate({
      headers: { authorization },
      rawHeaders: [],
      peerCertificate: undefined,
    });
    return result?.user;
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
};

describe('service-account tokens', () => {
  it('authenticate as the account with its groups', async () => {
    expect(await login(`Bearer ${await tokenFor()}`)).toEqual({
      name: 'system:serviceaccount:ci:builder',
      uid: 'sa-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ci', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
    });
  });

  it('name the pod they are bound to, and its node', async () => {
    expect(
      await login(
        `bearer ${await tokenFor({ boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } })}`,
      ),
    ).toMatchObject({
      extra: {
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': ['pod-1'],
        'authentication.kubernetes.io/node-name': ['n'],
      },
    });
  });

  const secretRef = { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } };
  const ends: [string, Record<string, unknown>, () => void, string][] = [
    [
      'when they expire',
      { expirationSeconds: 600 },
      () => (now += 661_000),
      'service account token has expired',
    ],
    ['before their time', {}, () => (now -= 61_000), 'service account token is not valid yet'],
    [
      'when the account is deleted',
      {},
      () => stored.delete('serviceaccounts/ci/builder'),
      'serviceaccounts "builder" not found',
    ],
    [
      'when the account was created again',
      {},
      () => stored.set('serviceaccounts/ci/builder', { metadata: { uid: 'sa-2' } }),
      'service account UID (sa-2) does not match claim (sa-1)',
    ],
    [
      'when the account was deleted a minute ago',
      {},
      () =>
        stored.set('serviceaccounts/ci/builder', {
          metadata: { uid: 'sa-1', deletionTimestamp: '2029-12-31T23:58:00Z' },
        }),
      'service account ci/builder has been deleted',
    ],
    [
      'when their secret is deleted',
      secretRef,
      () => stored.delete('secrets/ci/s'),
      'service account token has been invalidated',
    ],
  ];
  it.each(ends)('end %s', async (_, spec, change, expected) => {
    const token = await tokenFor(spec);
    expect(await login(`Bearer ${token}`)).toHaveProperty('name');
    change();
    expect(await login(`Bearer ${token}`)).toBe(`[invalid bearer token, ${expected}]`);
  });

  it('are refused when anything about them was changed', async () => {
    const foreign = createTokenIssuer({
      issuer: issuerName,
      key: otherKey,
      audiences: [issuerName],
      objects,
    });
    const elsewhere = createTokenIssuer({ issuer: 'https://other', key, audiences: [issuerName], objects });
    const [header, payload, signature] = (await tokenFor()).split('.') as [string, string, string];
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    const rows: [string, string][] = [
      [await tokenFor({}, foreign), '[invalid bearer token, invalid signature, no keys found]'],
      [await tokenFor({}, elsewhere), 'invalid bearer token'],
      [
        `${header}.${payload}.${signature.split('').reverse().join('')}`,
        '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
      ],
      [
        `${unsigned}.${payload}.`,
        '[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
      ],
      ['garbage', 'invalid bearer token'],
      [
        await tokenFor({ audiences: ['vault'] }),
        `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${issuerName}"]]`,
      ],
    ];
    for (const [token, expected] of rows) expect(await login(`Bearer ${token}`)).toBe(expected);
  });

  it('are refused with duplicate names, as in go-jose', async () => {
    const [header, payload] = (await tokenFor()).split('.') as [string, string];
    const claims = Buffer.from(payload, 'base64url').toString('utf8');
    const rows: [again: string, name: string][] = [
      ['{"sub":"x",', 'sub'],
      ['{"kubernetes.io":{},', 'kubernetes.io'],
    ];
    for (const [again, name] of rows) {
      const content = `${header}.${Buffer.from(claims.replace('{', again)).toString('base64url')}`;
      const signing = { key, dsaEncoding: 'ieee-p1363' } as const;
      const signature = sign('sha256', Buffer.from(content), signing).toString('base64url');
      const refused = `[invalid bearer token, json: duplicate key '${name}' in object]`;
      expect(await login(`Bearer ${content}.${signature}`)).toBe(refused);
    }
  });

  it('are looked for in the forms that kube reads', () => {
    const rows: [string, string | undefined][] = [
      ['Bearer abc', 'abc'],
      ['  bearer abc def', 'abc'],
      ['Bearer ', undefined],
      ['Bearer  abc', undefined],
      ['Basic abc', undefined],
    ];
    for (const [header, expected] of rows) expect(bearerToken(header)).toBe(expected);
  });
});

describe('requestToken', () => {
  it('returns the request with its status', async () => {
    const result = await requestToken({ metadata: {}, spec: {} }, account, issuer, now);
    expect(result).toMatchObject({
      kind: 'TokenRequest',
      metadata: { name: 'builder', namespace: 'ci', uid: 'sa-1', creationTimestamp: '2030-01-01T00:00:00Z' },
      spec: { audiences: [issuerName], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: '2030-01-01T01:00:00Z' },
    });
  });

  it.each([
    ['a year if tokens of kubelets are extended', true, 365 * 24 * 3600],
    ['as long as requested if extension is off', false, 3607],
  ])('sets the lifetime of a token of a pod to %s', async (_what, extendExpiration, seconds) => {
    const pod: KubeObject = {
      metadata: { name: 'p', uid: 'pod-1' },
      spec: { serviceAccountName: 'builder' },
    };
    const made = createTokenIssuer({
      issuer: issuerName,
      key,
      audiences: [issuerName],
      objects: { get: (resource) => (resource === 'pods' ? pod : undefined) },
      extendExpiration,
    });
    const spec = { expirationSeconds: 3607, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } };
    const { status } = await requestToken({ metadata: {}, spec }, account, made, now);
    const { token, expirationTimestamp } = status as { token: string; expirationTimestamp: string };
    const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as {
      iat: number;
      exp: number;
      'kubernetes.io': { warnafter?: number };
    };
    expect(claims.exp - claims.iat).toBe(seconds);
    expect(claims['kubernetes.io'].warnafter).toBe(extendExpiration ? claims.iat + 3607 : undefined);
    expect(expirationTimestamp).toBe('2030-01-01T01:00:07Z');
  });

  it('shortens lifetimes that are too long, with a warning', async () => {
    const warnings: string[] = [];
    const short = createTokenIssuer({
      issuer: issuerName,
      key,
      audiences: [issuerName],
      objects,
      maxExpirationSeconds: 1000,
    });
    const result = await requestToken(
      { metadata: {}, spec: { expirationSeconds: 7200 } },
      account,
      short,
      now,
      (w) => warnings.push(w),
    );
    expect(result.spec).toMatchObject({ expirationSeconds: 1000 });
    expect(warnings).toEqual(['requested expiration of 7200 seconds shortened to 1000 seconds']);
  });

  const refusals: [string, Record<string, unknown>, Record<string, unknown>, string][] = [
    [
      'too short a time',
      {},
      { expirationSeconds: 60 },
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ],
    [
      'too long a time',
      {},
      { expirationSeconds: 8589934592 },
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
    ],
    [
      'another uid',
      { uid: 'x' },
      {},
      'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "builder": the UID in the token request (x) does not match the UID of the service account (sa-1)',
    ],
    [
      'an object of another kind',
      {},
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'c' } },
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      'an object that is not there',
      {},
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'x' } },
      'secrets "x" not found',
    ],
  ];
  it.each(refusals)('refuses %s', async (_, metadata, spec, expected) => {
    const result = requestToken({ metadata, spec }, account, issuer, now);
    await expect(result).rejects.toBeInstanceOf(StatusError);
    await expect(result).rejects.toMatchObject({ message: expected });
  });
});

describe('checkTokenRequest', () => {
  it.each([
    ['name', { name: 'x' }, 'Invalid value: "x": must match the service account name if specified'],
    [
      'namespace',
      { namespace: 'x' },
      'Invalid value: "x": must match the service account namespace if specified',
    ],
  ])('refuses another %s', (field, metadata, why) => {
    const check = () => checkTokenRequest({ metadata }, { name: 'builder', namespace: 'ci' });
    expect(check).toThrow(
      `TokenRequest.authentication.k8s.io "builder" is invalid: metadata.${field}: ${why}`,
    );
  });
});

describe('reviewToken', () => {
  const review = async (token: string, audiences?: string[]) =>
    (
      await reviewToken(
        { metadata: { namespace: 'x' }, spec: { token, ...(audiences ? { audiences } : {}) } },
        authenticator,
      )
    ).status;

  it('returns the user and the audiences of a valid token', async () => {
    expect(await review(await tokenFor(), [issuerName, 'other'])).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:ci:builder' },
      audiences: [issuerName],
    });
  });

  it('reports the errors of invalid tokens', async () => {
    expect(await review('garbage')).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(await review(await tokenFor(), ['vault'])).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["${issuerName}"] is invalid for the target audiences ["vault"]]`,
    });
    await expect(review('')).rejects.toThrow('token is required for TokenReview in authentication');
  });
});

describe('reviewSelfSubject', () => {
  it('returns the user unchanged', () => {
    const user = { name: 'bob', uid: '', groups: ['g'], extra: { k: ['v'] } };
    expect(reviewSelfSubject(user, now)).toEqual({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
      metadata: { creationTimestamp: '2030-01-01T00:00:00Z' },
      status: { userInfo: { username: 'bob', groups: ['g'], extra: { k: ['v'] } } },
    });
  });
});

it('verified signatures are cached, and one token more than the limit, maxServiceAccountTokens, removes the oldest', async () => {
  expect(maxServiceAccountTokens).toBe(10_000);
  const tokens = serviceAccountTokens({
    issuers: [issuerName],
    keys: [publicKeyOf(key)],
    audiences: [issuerName],
    objects,
    now: () => now,
    maxTokens: 3,
  });
  const oldest = await tokenFor();
  const first = await tokens.authenticateToken(oldest, undefined);
  for (let i = 1; i < 3; i++) await tokens.authenticateToken(await tokenFor(), undefined);
  expect(await tokens.authenticateToken(oldest, undefined)).toBe(first);
  await tokens.authenticateToken(await tokenFor(), undefined);
  expect(await tokens.authenticateToken(oldest, undefined)).not.toBe(first);
});
