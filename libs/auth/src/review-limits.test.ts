import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client } from '@annex/client';
import { failure, FieldPath, finish } from '@annex/machinery';
import { FakeClock } from '@annex/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { delegatedTokens, maxDelegatedTokens } from './authn/delegated-authenticator.ts';
import { maxCachedTokens, cachedTokens } from './authn/cached-tokens.ts';
import { compileMatchConditions, matchOutcome, maxMatchConditions } from './authz/chain/match-conditions.ts';
import { maxCachedAccessReviews, webhookAuthorizer } from './authz/chain/webhook-authorizer.ts';
import { delegatedAuthorizer, maxDelegatedReviews } from './authz/delegated-authorizer.ts';
import { ask, userOf } from './authz/rbac.fixture.ts';
import { maxWebhookTokens, webhookTokens } from './tokens/webhook-tokens.ts';
import { maxReviewResponseBytes, maxReviewWaits, withAttempts } from './webhook-attempts.ts';

/** A server that accepts every review, and counts them. */
function reviewer() {
  let count = 0;
  const client = {
    json: <T>(): Promise<T> => {
      count += 1;
      return Promise.resolve({
        status: { authenticated: true, allowed: true, user: { username: 'a' } },
      } as T);
    },
  };
  return { client, count: () => count };
}

type Cached = (client: ReturnType<typeof reviewer>['client']) => (index: number) => unknown;
const clock = new FakeClock();
const now = () => 0;
const ofUser = (index: number) => ask(userOf(`u${index}`), 'get', 'pods');

describe('a cache of reviews', () => {
  it.each<[limit: string, count: number, Cached]>([
    [
      'maxCachedTokens',
      maxCachedTokens,
      (client) => {
        const authenticateToken = async () => ({
          ...(await client.json<object>()),
          by: 'a',
          user: userOf('a'),
        });
        const tokens = cachedTokens({ name: 'a', authenticateToken }, 1000, now);
        return (i) => tokens.authenticateToken(`t${i}`, []);
      },
    ],
    [
      'maxWebhookTokens',
      maxWebhookTokens,
      (client) => {
        const tokens = webhookTokens({ client, version: 'v1', audiences: [], cacheTtlMs: 1000, clock });
        return (i) => tokens.authenticateToken(`t${i}`, []);
      },
    ],
    [
      'maxDelegatedTokens',
      maxDelegatedTokens,
      (client) => {
        const tokens = delegatedTokens({ client, now });
        return (i) => tokens.authenticateToken(`t${i}`, []);
      },
    ],
    [
      'maxDelegatedReviews',
      maxDelegatedReviews,
      (client) => {
        const authorizer = delegatedAuthorizer({ client, now });
        return (i) => authorizer.authorize(ofUser(i));
      },
    ],
    [
      'maxCachedAccessReviews',
      maxCachedAccessReviews,
      (client) => {
        const authorizer = webhookAuthorizer({
          name: 'w',
          client,
          version: 'v1',
          timeoutMs: 1000,
          authorizedMs: 1000,
          unauthorizedMs: 1000,
          conditions: [],
          onError: 'deny',
          clock,
        });
        return (i) => authorizer.authorize(ofUser(i));
      },
    ],
  ])('has %s entries; one more removes the oldest', async (_limit, max, open) => {
    const { client, count } = reviewer();
    const review = open(client);
    for (let i = 0; i < max; i++) await review(i);
    await review(0);
    expect(count()).toBe(max);
    await review(max);
    await review(1);
    expect(count()).toBe(max + 1);
    await review(0);
    expect(count()).toBe(max + 2);
  });
});

const servers: { close(): unknown }[] = [];
afterEach(() => servers.splice(0).forEach((server) => void server.close()));

it('a review whose response exceeds maxReviewResponseBytes fails', async () => {
  let size = 0;
  const server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'application/json');
    const head =
      '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","status":{"authenticated":true,';
    res.end(`${`${head}"user":{"username":"a"}}}`.padEnd(size)}`);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = new Client({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const tokens = webhookTokens({ client, version: 'v1', audiences: [], cacheTtlMs: 0, clock });
  size = maxReviewResponseBytes;
  expect((await tokens.authenticateToken('t', []))?.user.name).toBe('a');
  size += 1;
  await expect(tokens.authenticateToken('t', [])).rejects.toThrow(
    'the response is larger than 1048576 bytes',
  );
  await client.close();
});

it('Retry-After is followed maxReviewWaits times', async () => {
  let requests = 0;
  const error = failure('TooManyRequests', 'later', { retryAfterSeconds: 1 });
  const outcome = withAttempts({ monotonic: now, sleep: () => Promise.resolve() }, 1000_000, () => {
    requests += 1;
    return Promise.reject(error);
  });
  await expect(outcome).rejects.toBe(error);
  expect(requests).toBe(5 * (1 + maxReviewWaits));
});

describe('match conditions of an authorizer', () => {
  it('are refused beyond maxMatchConditions', () => {
    const list = (count: number) => Array.from({ length: count }, (_, i) => `request.user != 'u${i}'`);
    expect(finish(compileMatchConditions(list(maxMatchConditions), FieldPath.of('m'))).errors).toEqual([]);
    expect(finish(compileMatchConditions(list(maxMatchConditions + 1), FieldPath.of('m'))).errors).toEqual([
      { type: 'FieldValueTooMany', field: 'm', badValue: 65, detail: 'must have at most 64 items' },
    ]);
  });

  // The limit: maxMatchConditionCost.
  it('fail beyond their cost', () => {
    const expression = 'request.groups.all(a, request.groups.all(b, a != b || a == b))';
    const { conditions } = finish(compileMatchConditions([expression], FieldPath.root));
    const groups = (count: number) => Array.from({ length: count }, (_, i) => `g${i}`);
    const outcome = (count: number) => finish(matchOutcome(conditions, { user: 'a', groups: groups(count) }));
    expect(outcome(100)).toEqual({ matches: true });
    expect(outcome(1000)).toEqual({
      error: expect.stringContaining('operation cancelled: actual cost limit exceeded') as string,
    });
  });
});
