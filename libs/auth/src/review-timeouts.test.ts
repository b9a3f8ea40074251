import { Client } from '@annex/client';
import {
  FakeClock,
  type HeldTimeouts,
  holdTimeouts,
  type SilentServer,
  sendByteByByte,
  startSilentServer,
} from '@annex/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webhookAuthorizer } from './authz/chain/webhook-authorizer.ts';
import { delegatedAuthorizer, delegatedReviewTimeoutMs } from './authz/delegated-authorizer.ts';
import { ask, userOf } from './authz/rbac.fixture.ts';
import { issuerTimeoutMs, textFetcher } from './jwt/fetch-text.ts';
import { tokenReviewTimeoutMs, webhookTokens } from './tokens/webhook-tokens.ts';
import { type Attributes, CredentialsError } from './types.ts';

let server: SilentServer;
let timeouts: HeldTimeouts;
let client: Client;

/** Starts a server that never responds, or never completes its responses. */
async function start(begin?: Parameters<typeof startSilentServer>[0]): Promise<void> {
  timeouts = holdTimeouts();
  server = await startSilentServer(begin);
  client = new Client({ server: server.url, ca: server.ca });
}
afterEach(async () => {
  client.close();
  await server[Symbol.asyncDispose]();
  timeouts[Symbol.dispose]();
});

/** Resolves to the error of a request that the server does not respond to, after its timeout. */
async function errorAfter(ms: number, request: () => Promise<unknown>): Promise<unknown> {
  const arrived = server.requested();
  const error = request().then(
    () => 'no error',
    (caught: unknown) => caught,
  );
  await Promise.race([
    arrived,
    error.then((early) => Promise.reject(new Error('too early', { cause: early }))),
  ]);
  expect(timeouts.expire(ms - 1)).toBe(0);
  expect(timeouts.expire(ms)).toBe(1);
  return await error;
}

describe.each([
  ['respond', undefined],
  ['complete its response, which comes byte by byte,', sendByteByByte],
])('a server that does not %s', (_what, begin) => {
  beforeEach(() => start(begin));

  it('within tokenReviewTimeoutMs authenticates no user', async () => {
    const tokens = webhookTokens({
      client,
      clock: new FakeClock(),
      version: 'v1',
      audiences: [],
      cacheTtlMs: 0,
    });
    const error = await errorAfter(tokenReviewTimeoutMs, () =>
      Promise.resolve(tokens.authenticateToken('t', [])),
    );
    expect(error).toBeInstanceOf(CredentialsError);
    expect(tokenReviewTimeoutMs).toBe(30_000);
  });

  it('within delegatedReviewTimeoutMs fails the access review', async () => {
    const authorizer = delegatedAuthorizer({ client });
    const attributes = {
      user: { name: 'u', groups: [], extra: {} },
      verb: 'get',
      path: '/x',
    } as unknown as Attributes;
    const error = await errorAfter(delegatedReviewTimeoutMs, () =>
      Promise.resolve(authorizer.authorize(attributes)),
    );
    expect(error).toMatchObject({ code: 500 });
    expect(delegatedReviewTimeoutMs).toBe(10_000);
  });

  it('within issuerTimeoutMs is an error of the issuer', async () => {
    const fetcher = textFetcher(server.ca);
    const error = await errorAfter(issuerTimeoutMs, () => fetcher.get(server.url));
    fetcher.close();
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(issuerTimeoutMs).toBe(30_000);
  });

  it('within the timeout of an authorization webhook denies the request', async () => {
    const authorizer = webhookAuthorizer({
      name: 'w',
      client,
      version: 'v1',
      timeoutMs: 3_000,
      authorizedMs: 0,
      unauthorizedMs: 0,
      conditions: [],
      onError: 'deny',
      clock: new FakeClock(),
    });
    const decision = await errorAfter(3_000, async () => {
      throw await authorizer.authorize(ask(userOf('u'), 'get', 'pods'));
    });
    expect(decision).toMatchObject({ decision: 'deny' });
  });
});
