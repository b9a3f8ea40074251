import { failure, type KubeObject } from '@annex/machinery';
import { FakeClock } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { ReviewClient } from '../authz/delegated-authorizer.ts';
import type { BoundObjects } from '../service-accounts/bound-objects.ts';
import { CredentialsError } from '../types.ts';
import { bootstrapTokens } from './bootstrap-tokens.ts';
import { csvRecords } from './csv.ts';
import { tokenFileTokens } from './token-file.ts';
import { webhookTokens } from './webhook-tokens.ts';

async function outcome(tokens: TokenAuthenticator, token: string, audiences?: string[]): Promise<unknown> {
  try {
    const response = await tokens.authenticateToken(token, audiences);
    return response === undefined ? 'not mine' : response.user;
  } catch (error) {
    if (error instanceof CredentialsError) return `refused: ${error.message}`;
    throw error;
  }
}

describe('csvRecords', () => {
  it.each<[string, string, string[][]]>([
    ['nothing', '', []],
    ['lines with and without an end', 'a,b\r\n\nc', [['a', 'b'], ['c']]],
    ['quotes with commas, quotes and line ends', '"a,""b""\n",c\n', [['a,"b"\n', 'c']]],
    ['a line of an empty quoted field', '""\n', [['']]],
    ['a carriage return that ends no line', 'a\r,b\r\n', [['a\r', 'b']]],
    ['line ends in quotes', '"a\r\nb",c', [['a\nb', 'c']]],
    [
      'empty fields',
      ',\na,',
      [
        ['', ''],
        ['a', ''],
      ],
    ],
  ])('reads %s', (_what, text, records) => {
    expect(csvRecords(text)).toEqual(records);
  });

  it.each([['a"b'], ['"a'], ['"a"b,c']])('refuses %j', (text) => {
    expect(() => csvRecords(text)).toThrow('"');
  });
});

describe('a token file', () => {
  const tokens = tokenFileTokens('t1,bob,u1\nt2,eve,,"a,b"\n,nobody,u\n', 'tokens.csv');

  it.each([
    ['t1', { name: 'bob', uid: 'u1', groups: [], extra: {} }],
    ['t2', { name: 'eve', groups: ['a', 'b'], extra: {} }],
    ['t3', 'not mine'],
    ['', 'not mine'],
    ['__proto__', 'not mine'],
  ])('%j', async (token, expected) => {
    expect(await outcome(tokens, token)).toEqual(expected);
  });

  it('has three columns', () => {
    expect(() => tokenFileTokens('t1,bob\n', 'tokens.csv')).toThrow(
      "token file 'tokens.csv' must have at least 3 columns (token, user name, user uid), found 2",
    );
  });
});

describe('bootstrap tokens', () => {
  const token = 'abcdef.0123456789abcdef';
  const encode = (data: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
  const good = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    expiration: '2030-01-01T00:00:00Z',
    'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a',
  };
  const of = (data: Record<string, string>, more: Partial<KubeObject> = {}, metadata: object = {}) => {
    const secret = {
      type: 'bootstrap.kubernetes.io/token',
      data: encode(data),
      metadata,
      ...more,
    } as KubeObject;
    const objects: BoundObjects = {
      get: (resource, namespace, name) =>
        resource === 'secrets' && namespace === 'kube-system' && name === 'bootstrap-token-abcdef'
          ? secret
          : undefined,
    };
    return bootstrapTokens(objects, () => Date.parse('2029-01-01T00:00:00Z'));
  };

  it('are known by their Secret', async () => {
    expect(await outcome(of(good), token)).toEqual({
      name: 'system:bootstrap:abcdef',
      groups: ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b'],
      extra: {},
    });
  });

  it('have groups of 256 characters', async () => {
    const group = `system:bootstrappers:${'a'.repeat(256)}`;
    expect(await outcome(of({ ...good, 'auth-extra-groups': group }), token)).toMatchObject({
      groups: ['system:bootstrappers', group],
    });
  });

  it.each<[string, TokenAuthenticator, string?]>([
    ['another secret', of({ ...good, 'token-secret': '0123456789abcdeX' })],
    ['no secret', of({ ...good, 'token-secret': '' })],
    ['another id', of({ ...good, 'token-id': 'abcdeX' })],
    ['an expired one', of({ ...good, expiration: '2028-01-01T00:00:00Z' })],
    ['one with an invalid expiration', of({ ...good, expiration: 'soon' })],
    ['one for signing only', of({ ...good, 'usage-bootstrap-authentication': 'false' })],
    ['foreign groups', of({ ...good, 'auth-extra-groups': 'system:masters' })],
    // The limit: maxBootstrapGroupLength.
    [
      'a group that is too long',
      of({ ...good, 'auth-extra-groups': `system:bootstrappers:${'a'.repeat(257)}` }),
    ],
    ['a Secret of another type', of(good, { type: 'Opaque' })],
    ['a Secret that is deleted', of(good, {}, { deletionTimestamp: '2028-01-01T00:00:00Z' })],
    ['a token of another form', of(good), 'ABCDEF.0123456789abcdef'],
    ['a token with an end of a line', of(good), `${token}\n`],
  ])('are invalid: %s', async (_what, tokens, sent = token) => {
    expect(await outcome(tokens, sent)).toBe('not mine');
  });
});

describe('a webhook', () => {
  type Response = { status?: object } | Error;

  /** A webhook that sends these responses in turn, and repeats the last one. */
  function webhook(...responses: Response[]) {
    const requests: { method: string; path: string; body: unknown }[] = [];
    const client: ReviewClient = {
      async json<T>(request: { method: string; path: string; body: unknown }) {
        requests.push(request);
        const response = responses[Math.min(requests.length, responses.length) - 1];
        if (response instanceof Error) throw response;
        return response as T;
      },
    };
    const clock = new FakeClock();
    const tokens = webhookTokens({ client, version: 'v1', audiences: ['api', 'b'], cacheTtlMs: 1000, clock });
    return { requests, clock, tokens };
  }
  const bob = { username: 'bob', uid: '7', groups: ['g'], extra: { 'x.y/z': ['1'] } };
  const user = { name: 'bob', uid: '7', groups: ['g'], extra: { 'x.y/z': ['1'] } };

  it('receives a TokenReview with the audiences of the server', async () => {
    const { requests, tokens } = webhook({ status: { authenticated: true, user: bob } });
    expect(await tokens.authenticateToken('t', undefined)).toEqual({
      user,
      by: 'webhook',
      audiences: ['api', 'b'],
    });
    expect(requests).toMatchObject([
      {
        method: 'POST',
        body: {
          kind: 'TokenReview',
          apiVersion: 'authentication.k8s.io/v1',
          spec: { token: 't', audiences: ['api', 'b'] },
        },
      },
    ]);
  });

  it.each<[string, Response, string[] | undefined, unknown]>([
    [
      'audiences that it names count',
      { status: { authenticated: true, user: bob, audiences: ['b', 'c'] } },
      ['b'],
      user,
    ],
    [
      'other audiences are refused',
      { status: { authenticated: true, user: bob, audiences: ['c'] } },
      undefined,
      'not mine',
    ],
    [
      'audiences of other servers are refused',
      { status: { authenticated: true, user: bob } },
      ['vault'],
      'not mine',
    ],
    ['a no is a no', { status: { authenticated: false } }, undefined, 'not mine'],
    [
      'a no with a reason',
      { status: { authenticated: false, error: 'too old' } },
      undefined,
      'refused: too old',
    ],
    ['a response without a status is not authenticated', {}, undefined, 'not mine'],
    [
      'a failed request is a refusal',
      new Error('connect ECONNREFUSED'),
      undefined,
      'refused: connect ECONNREFUSED',
    ],
  ])('%s', async (_what, response, audiences, expected) => {
    expect(await outcome(webhook(response).tokens, 't', audiences)).toEqual(expected);
  });

  it('is called once per token and audience while the result is cached, accepted or not', async () => {
    const { requests, clock, tokens } = webhook({ status: { authenticated: true, user: bob } });
    await outcome(tokens, 't');
    await outcome(tokens, 't');
    expect(requests).toHaveLength(1);
    await outcome(tokens, 't', ['b']);
    await outcome(tokens, 'other');
    expect(requests).toHaveLength(3);
    await clock.advance(1001);
    await outcome(tokens, 't');
    expect(requests).toHaveLength(4);
  });

  it('is called once while an unknown token is cached', async () => {
    const { requests, tokens } = webhook({ status: { authenticated: false } });
    expect([await outcome(tokens, 't'), await outcome(tokens, 't')]).toEqual(['not mine', 'not mine']);
    expect(requests).toHaveLength(1);
  });

  it('is called again after a failure, and its errors are not cached', async () => {
    const { requests, clock, tokens } = webhook(
      failure('InternalError', 'later'),
      failure('InternalError', 'later'),
      {
        status: { authenticated: true, user: bob },
      },
    );
    const response = outcome(tokens, 't');
    for (let i = 0; i < 20 && requests.length < 3; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(2000);
    }
    expect(await response).toEqual(user);
    expect(requests).toHaveLength(3);
  });
});
