import { Client } from '@annex/client';
import {
  FakeClock,
  type HeldTimeouts,
  holdTimeouts,
  type SilentServer,
  startSilentServer,
} from '@annex/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { delegatedAuthorizer, delegatedReviewTimeoutMs } from './authz/delegated-authorizer.ts';
import { issuerTimeoutMs, textFetcher } from './jwt/fetch-text.ts';
import { tokenReviewTimeoutMs, webhookTokens } from './tokens/webhook-tokens.ts';
import { type Attributes, CredentialsError } from './types.ts';

let server: SilentServer;
let timeouts: HeldTimeouts;
let client: Client;

beforeEach(async () => {
  timeouts = holdTimeouts();
  server = await startSilentServer();
  client = new Client({ server: server.url, ca: server.ca });
});
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

it('an authentication webhook that does not respond within tokenReviewTimeoutMs refuses the token', async () => {
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

it('an access review without a response within delegatedReviewTimeoutMs is a 500', async () => {
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

it('an issuer that does not respond within issuerTimeoutMs is an error', async () => {
  const fetcher = textFetcher(server.ca);
  const error = await errorAfter(issuerTimeoutMs, () => fetcher.get(server.url));
  fetcher.close();
  expect(error).toMatchObject({ name: 'AbortError' });
  expect(issuerTimeoutMs).toBe(30_000);
});
