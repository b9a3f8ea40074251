import { parseFieldSelector, parseLabelSelector } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { alwaysAllowPaths, delegatedAuthorizer, type ReviewClient } from './authz/delegated-authorizer.ts';
import { delegatedTokens } from './authn/delegated-authenticator.ts';
import { ask, userOf } from './authz/rbac.fixture.ts';

/** A server that sends one response and records the requests. */
function server(status: object) {
  const requests: unknown[] = [];
  const client: ReviewClient = {
    json: async <T>({ body }: { body: unknown }) => {
      requests.push((body as { spec: unknown }).spec);
      return { status } as T;
    },
  };
  return { requests, client };
}

const down: ReviewClient = { json: () => Promise.reject(new Error('connect ECONNREFUSED')) };
const bob = { ...userOf('bob', 'dev'), uid: 'u', extra: { scopes: ['s'] } };

describe('delegatedAuthorizer', () => {
  it('AGG-028 sends the whole user and the attributes of the request', async () => {
    const { requests, client } = server({ allowed: true });
    const authorizer = delegatedAuthorizer({ client });
    await authorizer.authorize(
      ask(bob, 'get', 'widgets/status', { apiGroup: 'x.io', namespace: 'n', name: 'w' }),
    );
    await authorizer.authorize(ask(userOf('eve'), 'get', '/version'));
    expect(requests).toEqual([
      {
        user: 'bob',
        groups: ['dev'],
        uid: 'u',
        extra: { scopes: ['s'] },
        resourceAttributes: {
          group: 'x.io',
          version: 'v1',
          resource: 'widgets',
          subresource: 'status',
          namespace: 'n',
          name: 'w',
          verb: 'get',
        },
      },
      { user: 'eve', nonResourceAttributes: { path: '/version', verb: 'get' } },
    ]);
  });

  it('sends the requirements of selectors, without those that a review cannot express', async () => {
    const { requests, client } = server({ allowed: true });
    const { requirements: labelSelector } = parseLabelSelector('a in (y,x),b!=z,c,!d,e>1');
    const { requirements: fieldSelector } = parseFieldSelector('spec.nodeName=n,status.phase!=Failed');
    await delegatedAuthorizer({ client }).authorize({
      ...ask(userOf('eve'), 'list', 'pods'),
      labelSelector,
      fieldSelector,
    });
    expect((requests[0] as { resourceAttributes: unknown }).resourceAttributes).toEqual({
      verb: 'list',
      version: 'v1',
      resource: 'pods',
      fieldSelector: {
        requirements: [
          { key: 'spec.nodeName', operator: 'In', values: ['n'] },
          { key: 'status.phase', operator: 'NotIn', values: ['Failed'] },
        ],
      },
      labelSelector: {
        requirements: [
          { key: 'a', operator: 'In', values: ['x', 'y'] },
          { key: 'b', operator: 'NotIn', values: ['z'] },
          { key: 'c', operator: 'Exists' },
          { key: 'd', operator: 'DoesNotExist' },
        ],
      },
    });
  });

  it('sends one review while the decision is cached, and another one afterwards', async () => {
    let now = 0;
    const { requests, client } = server({ allowed: true });
    const authorizer = delegatedAuthorizer({ client, now: () => now });
    const question = ask(bob, 'list', 'widgets');
    await Promise.all([authorizer.authorize(question), authorizer.authorize(question)]);
    now = 9_999;
    expect(authorizer.authorize(question)).toEqual({ decision: 'allow', reason: '' });
    expect(requests).toHaveLength(1);
    now = 10_000;
    await authorizer.authorize(question);
    expect(requests).toHaveLength(2);
  });

  it('AGG-031 distinguishes a denial from no opinion', async () => {
    const denied = await delegatedAuthorizer({
      client: server({ denied: true, reason: 'no' }).client,
    }).authorize(ask(bob, 'get', 'x'));
    const silent = await delegatedAuthorizer({ client: server({}).client }).authorize(ask(bob, 'get', 'x'));
    expect([denied.decision, silent.decision]).toEqual(['deny', 'noOpinion']);
  });

  it('refuses every request while the server does not respond', async () => {
    const response = (async () => delegatedAuthorizer({ client: down }).authorize(ask(bob, 'get', 'x')))();
    await expect(response).rejects.toMatchObject({ code: 500 });
  });
});

describe('delegatedTokens', () => {
  it('caches accepted tokens, never refused ones', async () => {
    const good = server({ authenticated: true, user: { username: 'bob' } });
    const bad = server({ error: 'expired' });
    for (const { client } of [good, bad]) {
      const tokens = delegatedTokens({ client });
      for (let i = 0; i < 2; i++)
        await (async () => tokens.authenticateToken('t', undefined))().catch(() => {});
    }
    expect([good.requests.length, bad.requests.length]).toEqual([1, 2]);
  });

  it('fails if the server does not respond', async () => {
    const response = (async () => delegatedTokens({ client: down }).authenticateToken('t', undefined))();
    await expect(response).rejects.toMatchObject({ code: 500 });
  });
});

describe('alwaysAllowPaths', () => {
  it('allows only its paths', async () => {
    const { authorize } = alwaysAllowPaths('/healthz', '/livez/*');
    const open = async (path: string) => (await authorize(ask(bob, 'get', path))).decision === 'allow';
    expect([
      await open('/healthz'),
      await open('/livez/ping'),
      await open('/healthz/x'),
      await open('/'),
    ]).toEqual([true, true, false, false]);
  });
});
