import { createMetrics, fixedText, nullLogger, systemClock } from '@annex/runtime';
import { startTokenIssuer, type TokenIssuer } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CredentialsError } from '../types.ts';
import type { ConfiguredTokens } from './configured-tokens.ts';
import { maxClaimIssuers } from './distributed-claims.ts';
import { jwtAlgorithms, openConfiguredTokens } from './open-configured-tokens.ts';

let issuer: TokenIssuer;
let tokens: ConfiguredTokens;

beforeAll(async () => {
  issuer = await startTokenIssuer();
  const configuration = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${issuer.url}
    certificateAuthority: ${JSON.stringify(issuer.ca)}
    audiences: [annex]
  claimMappings:
    username: { claim: sub, prefix: '' }
    groups: { claim: groups, prefix: 'g:' }
`;
  tokens = await openConfiguredTokens(fixedText(configuration), {
    algorithms: jwtAlgorithms,
    disallowedIssuers: [],
    clock: systemClock,
    log: nullLogger,
    metrics: createMetrics(),
  });
  tokens.start();
  await vi.waitFor(async () => expect(await outcome({})).not.toContain('not initialized'), {
    timeout: 20_000,
  });
});
afterAll(async () => {
  tokens.stop();
  await issuer[Symbol.asyncDispose]();
});

/** Returns the groups of the user of a token with these claims, or the reason of the refusal. */
async function outcome(claims: Record<string, unknown>): Promise<unknown> {
  try {
    return (await tokens.authenticateToken(issuer.token({ sub: 'bob', ...claims })))?.user.groups;
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

/** Claims that point to an endpoint of the issuer, which sends this response. */
function pointing(text: string, status = 200, headers = {}, more = {}) {
  issuer.serve('/claims', text, status, headers);
  return pointingTo(`${issuer.url}/claims`, more);
}

const pointingTo = (endpoint: unknown, more = {}) => ({
  _claim_names: { groups: 's' },
  _claim_sources: { s: { endpoint, ...more } },
});

const failed = (why: string) => `oidc: could not expand distributed claims: ${why}`;
const unread = (why: string) => `oidc: verify token: oidc: failed to unmarshal claims: ${why}`;

// Responses and texts are those of kube-apiserver v1.36.3 with the same configuration.
describe('groups in another token', () => {
  it('are requested, with the access token if there is one', async () => {
    issuer.requested.length = 0;
    const notified = issuer.token({ groups: ['a', 'b'] });
    expect(await outcome(pointing(notified, 200, {}, { access_token: 'f00' }))).toEqual(['g:a', 'g:b']);
    expect(issuer.requested).toEqual(['/claims Bearer f00']);
  });

  it('are requested from the target of a redirect', async () => {
    issuer.serve('/moved', issuer.token({ groups: 'solo' }));
    expect(await outcome(pointing('', 302, { location: '/moved' }))).toEqual(['g:solo']);
  });

  it('come from a token of another issuer, which is discovered', async () => {
    const url = `${issuer.url}/three`;
    const jwks = JSON.stringify({ issuer: url, jwks_uri: `${issuer.url}/keys` });
    issuer.serve('/three/.well-known/openid-configuration', jwks);
    expect(await outcome(pointing(issuer.token({ iss: url, groups: ['t'] })))).toEqual(['g:t']);
  });

  it('are not requested from further issuers beyond maxClaimIssuers', async () => {
    const of = (index: number) => {
      const url = `${issuer.url}/of/${index}`;
      const jwks = JSON.stringify({ issuer: url, jwks_uri: `${issuer.url}/keys` });
      issuer.serve(`/of/${index}/.well-known/openid-configuration`, jwks);
      return outcome(pointing(issuer.token({ iss: url, groups: ['t'] })));
    };
    let known = 0;
    while (Array.isArray(await of(known)) && known <= maxClaimIssuers) known++;
    // Other tests of this file know issuers, too.
    expect(known).toBeLessThanOrEqual(maxClaimIssuers);
    expect(known).toBeGreaterThan(maxClaimIssuers - 5);
    expect(await of(0)).toEqual(['g:t']);
    expect(await of(known)).toMatch(/verifier not initialized for issuer/);
  });

  it('are absent if an issuer is unavailable', async () => {
    const url = `${issuer.url}/none`;
    const why = `verifying untrusted issuer ${url} failed: verifier not initialized for issuer: "${url}"`;
    expect(await outcome(pointing(issuer.token({ iss: url, groups: ['t'] })))).toBe(failed(why));
  });

  it('are not requested if the token has them, or names an aggregated claim', async () => {
    issuer.requested.length = 0;
    expect(await outcome({ groups: ['own'], ...pointing('x') })).toEqual(['g:own']);
    expect(await outcome(pointingTo('', { JWT: 'abc' }))).toEqual([]);
    expect(issuer.requested).toEqual([]);
  });

  it('do not cause endless redirects', async () => {
    const response = await outcome(pointing('', 302, { location: '/claims' }));
    expect(response).toMatch(/^oidc: could not expand .* stopped after 10 redirects$/);
  });
});

describe('a token with distributed groups is refused for', () => {
  const getting = (why: string) => failed(`while getting distributed claim "groups": ${why}`);
  const responses: [
    what: string,
    response: () => readonly [string, number?],
    expected: (url: string) => string,
  ][] = [
    ['a status', () => ['', 404], () => getting('error while getting distributed claim JWT: 404 Not Found')],
    [
      'an invalid token',
      () => ['hello'],
      (url) =>
        failed(`getting untrusted issuer from endpoint ${url} failed for claim "groups": malformed token`),
    ],
    [
      'a token for others',
      () => [issuer.token({ aud: 'zzz', groups: ['a'] })],
      () => failed('verify distributed claim token: oidc: expected audience "annex" got ["zzz"]'),
    ],
    [
      'a token without them',
      () => [issuer.token({})],
      (url) => failed(`jwt returned by distributed claim endpoint "${url}" did not contain claim: groups`),
    ],
  ];
  it.each(responses)('%s', async (_what, response, expected) => {
    const [text, status] = response();
    expect(await outcome(pointing(text, status))).toBe(expected(`${issuer.url}/claims`));
  });

  const odd: [what: string, claims: Record<string, unknown>, expected: string][] = [
    [
      'an invalid address',
      pointingTo('::'),
      getting('while calling ::: parse "::": missing protocol scheme'),
    ],
    [
      'a scheme that is not spoken',
      pointingTo('ftp://127.0.0.1/x'),
      getting('Get "ftp://127.0.0.1/x": unsupported protocol scheme "ftp"'),
    ],
    ['names without sources', { _claim_names: {} }, failed('oidc: no claim sources')],
    [
      'a source that is not there',
      { _claim_names: { groups: 's' }, _claim_sources: {} },
      'oidc: verify token: oidc: source does not exist',
    ],
    [
      'a source without a name',
      { _claim_names: { groups: '' } },
      'oidc: verify token: oidc: failed to obtain source from claim name',
    ],
    [
      'names that are a list',
      { _claim_names: [] },
      unread(
        'json: cannot unmarshal array into Go struct field idToken._claim_names of type map[string]string',
      ),
    ],
    [
      'an endpoint that is a number',
      pointingTo(5),
      unread(
        'json: cannot unmarshal number into Go struct field claimSource._claim_sources.endpoint of type string',
      ),
    ],
    [
      'an aggregated claim that is a number',
      pointingTo('', { JWT: 5 }),
      failed(
        'oidc: could not parse claim sources: json: cannot unmarshal number into Go struct field endpoint.JWT of type string',
      ),
    ],
  ];
  it.each(odd)('%s', async (_what, claims, expected) => {
    expect(await outcome(claims)).toBe(expected);
  });
});
