import { Client } from '@annex/client';
import { holdTimeouts, startSilentServer } from '@annex/testkit';
import { expect, test } from 'vitest';
import {
  agentReviewTimeoutMs,
  createTokenAuthenticator,
  maxKeptReviews,
  maxPendingReviews,
} from './token-authenticator.ts';

const account = {
  namespace: 'kube-system',
  serviceAccount: 'konnectivity-agent',
  audience: 'system:konnectivity-server',
};
const agent = 'system:serviceaccount:kube-system:konnectivity-agent';

/** An API server that returns a status for every TokenReview. */
function authenticator(status: () => unknown) {
  const requests: unknown[] = [];
  const client = {
    json: async <T>({ body }: { body?: unknown }) => {
      requests.push(body);
      return { status: await status() } as T;
    },
  };
  const authenticate = createTokenAuthenticator(client, account);
  return {
    requests,
    authenticate: (token: string) => authenticate(['authorization', `Bearer ${token}`]),
    raw: authenticate,
  };
}

const known = (username: string, audiences = [account.audience]) => ({
  authenticated: true,
  user: { username },
  audiences,
});
const failed = 'Failed to validate authentication token, err:lookup failed: ';

test.each<[string, string[], string]>([
  ['no token', [], 'Authentication context was not found in metadata'],
  [
    'two tokens',
    ['authorization', 'Bearer a', 'authorization', 'Bearer b'],
    'too many (2) tokens are received',
  ],
  ['another scheme', ['authorization', 'Basic a'], 'received token does not have "Bearer " prefix'],
])('%s', async (_sentence, raw, message) => {
  const { raw: authenticate, requests } = authenticator(() => known(agent));
  await expect(authenticate(raw)).rejects.toThrow(message);
  expect(requests).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['KON-027 an error of the API server', { error: 'invalid bearer token' }, 'invalid bearer token'],
  ['a token that is not valid', {}, 'service account jwt not valid'],
  ['a user', known('alice'), 'unexpected username format'],
  ['four parts that are no service account', known('a:b:c:d'), 'username returned is not a service account'],
  [
    'KON-025 another namespace',
    known('system:serviceaccount:x:konnectivity-agent'),
    'incoming request from "x" namespace. Expected "kube-system"',
  ],
  [
    'KON-025 another account',
    known('system:serviceaccount:kube-system:other'),
    'incoming request from "other" service account. Expected "konnectivity-agent"',
  ],
  [
    'KON-027 a server that ignores audiences',
    known(agent, []),
    `the token is not for the audience "${account.audience}"`,
  ],
])('%s is refused', async (_sentence, status, message) => {
  await expect(authenticator(() => status).authenticate('a')).rejects.toThrow(failed + message);
});

test('a result is kept, and an error of the connection is not', async () => {
  let isBroken = true;
  const { authenticate, requests } = authenticator(() => {
    if (isBroken) throw new Error('unreachable');
    return known(agent);
  });
  await expect(authenticate('a')).rejects.toThrow('unreachable');
  isBroken = false;
  await authenticate('a');
  await authenticate('a');
  expect(requests).toHaveLength(2);
  expect(requests[0]).toMatchObject({
    kind: 'TokenReview',
    spec: { token: 'a', audiences: [account.audience] },
  });
});

test('of more than maxKeptReviews results, the oldest is requested again', async () => {
  const { authenticate, requests } = authenticator(() => known(agent));
  for (let token = 0; token <= maxKeptReviews; token++) await authenticate(String(token));
  await authenticate(String(maxKeptReviews));
  expect(requests).toHaveLength(maxKeptReviews + 1);
  await authenticate('0');
  expect(requests).toHaveLength(maxKeptReviews + 2);
});

test('beyond maxPendingReviews, agents are refused', async () => {
  const held = Promise.withResolvers<unknown>();
  const { authenticate } = authenticator(() => held.promise);
  const pending = Array.from({ length: maxPendingReviews }, (_, token) => authenticate(String(token)));
  await expect(authenticate('another')).rejects.toThrow('too many TokenReviews are pending');
  held.resolve(known(agent));
  await Promise.all(pending);
});

test('an agent whose TokenReview takes longer than agentReviewTimeoutMs is refused', async () => {
  using timeouts = holdTimeouts();
  await using server = await startSilentServer();
  const client = new Client({ server: server.url, ca: server.ca });
  const requested = server.requested();
  const refused = createTokenAuthenticator(
    client,
    account,
  )(['authorization', 'Bearer a']).catch((error: Error) => error);
  await requested;
  expect(timeouts.expire(agentReviewTimeoutMs)).toBe(1);
  expect(await refused).toBeInstanceOf(Error);
  client.close();
});
