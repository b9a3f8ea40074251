import { generateKeyPairSync } from 'node:crypto';
import { createMetrics, fixedText, nullLogger, systemClock } from '@annex/runtime';
import { startTokenIssuer, type TokenIssuer } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CredentialsError } from '../types.ts';
import type { ConfiguredTokens } from './configured-tokens.ts';
import { jwtAlgorithms, openConfiguredTokens } from './open-configured-tokens.ts';

let issuer: TokenIssuer;
let second: TokenIssuer;
let tokens: ConfiguredTokens;

const ca = (pem: string) => `certificateAuthority: ${JSON.stringify(pem)}`;

const configuration = () => `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${issuer.url}
    ${ca(issuer.ca)}
    audiences: [annex, other]
    audienceMatchPolicy: MatchAny
  claimValidationRules:
  - { expression: "!has(claims.blocked) || claims.blocked == false", message: blocked users are not let in }
  - expression: "claims.exp - claims.iat <= 86400.0"
  claimMappings:
    username: { expression: "has(claims.name) ? claims.name : claims.sub" }
    groups: { expression: "claims.?groups.orValue([])" }
    uid: { expression: "claims.?uid.orValue('')" }
    extra:
    - { key: example.com/team, valueExpression: "claims.?team.orValue('')" }
    - { key: example.com/nested, valueExpression: "has(claims.n) ? claims.n.a__dash__b : ''" }
  userValidationRules:
  - { expression: "!user.username.startsWith('system:')", message: reserved }
  - { expression: "user.groups.all(g, !g.startsWith('system:'))", message: reserved groups }
- issuer:
    url: ${second.url}
    ${ca(second.ca)}
    audiences: [annex]
  claimValidationRules:
  - { claim: hd, requiredValue: example.com }
  claimMappings:
    username: { claim: email, prefix: 'two:' }
    groups: { claim: roles, prefix: 'two:' }
    uid: { claim: uid }
`;

const options = () => ({
  algorithms: jwtAlgorithms,
  disallowedIssuers: [],
  clock: systemClock,
  log: nullLogger,
  metrics: createMetrics(),
});

beforeAll(async () => {
  [issuer, second] = await Promise.all([startTokenIssuer(), startTokenIssuer()]);
  tokens = await openConfiguredTokens(fixedText(configuration()), options());
  tokens.start();
  for (const one of [issuer, second]) {
    await vi.waitFor(async () => expect(await outcome(one.token({}))).not.toContain('not initialized'), {
      timeout: 20_000,
    });
  }
});
afterAll(async () => {
  tokens.stop();
  await issuer[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

/** Returns the user of a token, or the reason of the refusal. */
async function outcome(token: string): Promise<unknown> {
  try {
    return (await tokens.authenticateToken(token))?.user ?? 'not mine';
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

const expression = (what: string, why: string) => `oidc: error evaluating ${what} expression: ${why}`;
const notList = 'expression must return a string or a list of strings';
const bob = { name: 'bob', groups: [], extra: {} };
const longLived = { iat: 1_700_000_000, exp: 4_000_000_000 };

// Results and texts are those of kube-apiserver v1.36.3 with the same configuration.
describe('claims by expressions', () => {
  const rows: [what: string, claims: Record<string, unknown>, expected: unknown][] = [
    ['a subject is a user', { sub: 'bob' }, bob],
    [
      'everything can be mapped',
      {
        sub: 'x',
        name: 'zoe',
        groups: ['a', '', 'b'],
        uid: 'u1',
        team: ['t1', 't2'],
        jti: 'id-1',
        n: { 'a-b': 'v' },
      },
      {
        name: 'zoe',
        uid: 'u1',
        groups: ['a', 'b'],
        extra: {
          'authentication.kubernetes.io/credential-id': ['JTI=id-1'],
          'example.com/team': ['t1', 't2'],
          'example.com/nested': ['v'],
        },
      },
    ],
    ['one text is one group', { sub: 'bob', groups: 'solo' }, { ...bob, groups: ['solo'] }],
    ['an absent value results in no group', { sub: 'bob', groups: null }, bob],
    ['a number is not a group', { sub: 'bob', groups: [1] }, expression('group claim', notList)],
    [
      'a number is not a name',
      { name: 5 },
      expression('username claim', 'username claim expression must return a string'),
    ],
    ['a user has a name', { name: '' }, 'oidc: empty username via CEL expression is not allowed'],
    [
      'a claim that is missing is an error',
      {},
      expression(
        'username claim',
        "expression 'has(claims.name) ? claims.name : claims.sub' resulted in error: no such key: sub",
      ),
    ],
    [
      'a number is not a uid',
      { sub: 'x', uid: 7 },
      expression('uid claim', 'uid claim expression must return a string'),
    ],
    [
      'a number is not an extra',
      { sub: 'x', team: 7 },
      expression('extra claim', `claims.?team.orValue(''): ${notList}`),
    ],
    [
      'a false rule reports its message',
      { sub: 'x', blocked: true },
      expression(
        'claim validation',
        "validation expression '!has(claims.blocked) || claims.blocked == false' failed: blocked users are not let in",
      ),
    ],
    [
      'numbers are doubles',
      { sub: 'x', ...longLived },
      expression('claim validation', "validation expression 'claims.exp - claims.iat <= 86400.0' failed: "),
    ],
    [
      'a rule keeps users out',
      { sub: 'system:admin' },
      "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('system:')' failed: reserved",
    ],
    [
      'a rule keeps groups out',
      { sub: 'x', groups: ['system:masters'] },
      "oidc: error evaluating user info validation rule: validation expression 'user.groups.all(g, !g.startsWith('system:'))' failed: reserved groups",
    ],
  ];
  it.each(rows)('%s', async (_what, claims, expected) => {
    expect(await outcome(issuer.token(claims))).toEqual(expected);
  });
});

describe('claims by names', () => {
  const good = { email: 'a@b', hd: 'example.com', uid: '9' };
  const user = { name: 'two:a@b', uid: '9', groups: [], extra: {} };
  const mistyped = (found: string, type = 'string') =>
    `json: cannot unmarshal ${found} into Go value of type ${type}`;
  const rows: [what: string, claims: Record<string, unknown>, expected: unknown][] = [
    ['prefixes precede names', { ...good, roles: ['r'] }, { ...user, groups: ['two:r'] }],
    ['one text is one group', { ...good, roles: 'r' }, { ...user, groups: ['two:r'] }],
    [
      'a required claim is there',
      { ...good, hd: undefined },
      'oidc: required claim hd not present in ID token',
    ],
    [
      'a required claim has its value',
      { ...good, hd: 'x' },
      'oidc: required claim hd value does not match. Got = x, want = example.com',
    ],
    ['a required claim is a text', { ...good, hd: 1 }, `oidc: parse claim hd: ${mistyped('number')}`],
    ['an address is verified', { ...good, email_verified: false }, 'oidc: email not verified'],
    ['a verified address is good', { ...good, email_verified: true }, user],
    [
      'verified is true or false',
      { ...good, email_verified: 'true' },
      `oidc: parse 'email_verified' claim: ${mistyped('string', 'bool')}`,
    ],
    ['a uid is there', { ...good, uid: undefined }, 'oidc: parse uid claim "uid": claim not present'],
    ['a name is there', { hd: 'example.com' }, 'oidc: parse username claims "email": claim not present'],
    ['a name is a text', { email: 3 }, `oidc: parse username claims "email": ${mistyped('number')}`],
    [
      'groups are texts',
      { ...good, roles: ['a', 1] },
      `oidc: parse groups claim "roles": ${mistyped('array')}`,
    ],
  ];
  it.each(rows)('%s', async (_what, claims, expected) => {
    expect(await outcome(second.token(claims))).toEqual(expected);
  });
});

describe('a token', () => {
  const verify = (why: string) => `oidc: verify token: ${why}`;
  const unsigned = verify('failed to verify signature: failed to verify id token signature');
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const algorithms = jwtAlgorithms.map((name) => `"${name}"`).join(' ');
  const algorithm = (name: string) =>
    verify(`oidc: id token signed with unsupported algorithm, expected [${algorithms}] got "${name}"`);
  const sub = { sub: 'bob' };
  const now = Math.floor(Date.now() / 1000);
  const rows: [what: string, token: () => string, expected: unknown][] = [
    ['is signed by RSA', () => issuer.token(sub), bob],
    ['is signed on a curve', () => issuer.token(sub, { alg: 'ES256' }), bob],
    ['need no key ID', () => issuer.token(sub, { kid: null }), bob],
    ['is for one of several audiences', () => issuer.token({ ...sub, aud: ['a', 'other'] }), bob],
    ['may begin in half a minute', () => issuer.token({ ...sub, nbf: now + 30 }), bob],
    ['without a signature is none', () => issuer.token(sub, { alg: 'none' }), algorithm('none')],
    [
      'signed with the public key as a secret is none',
      () => issuer.token(sub, { alg: 'HS256', key: issuer.publicKey }),
      algorithm('HS256'),
    ],
    ['of another key is none', () => issuer.token(sub, { key: other }), unsigned],
    ['of an unknown key is refused', () => issuer.token(sub, { kid: '../../etc/passwd' }), unsigned],
    ['of a key of another kind is none', () => issuer.token(sub, { kid: 'key-1-ec' }), unsigned],
    [
      'cannot contain its key',
      () =>
        issuer.token(sub, { key: other, kid: null, header: { jwk: { kty: 'RSA', n: 'AQAB', e: 'AQAB' } } }),
      unsigned,
    ],
    [
      'with unknown critical headers is refused',
      () => issuer.token(sub, { header: { crit: ['x'], x: 1 } }),
      unsigned,
    ],
    ['that another issuer signed is none', () => second.token({ ...sub, iss: issuer.url }), unsigned],
    ['that is cut off is none', () => issuer.token(sub).slice(0, -5), unsigned],
    ['of an unknown issuer is ignored', () => issuer.token({ ...sub, iss: 'https://nowhere' }), 'not mine'],
    ['of nearly the issuer is not ours', () => issuer.token({ ...sub, iss: `${issuer.url}/` }), 'not mine'],
    ['of four parts is not ours', () => `${issuer.token(sub)}.a`, 'not mine'],
    [
      'that is over is none',
      () => issuer.token({ ...sub, exp: 1_700_000_000 }),
      verify('oidc: token is expired (Token Expiry: 2023-11-14 22:13:20 +0000 UTC)'),
    ],
    [
      'ends',
      () => issuer.token({ ...sub, exp: undefined }),
      verify('oidc: token is expired (Token Expiry: 0001-01-01 00:00:00 +0000 UTC)'),
    ],
    [
      'that is not yet is none',
      () => issuer.token({ ...sub, nbf: now + 3600 }),
      expect.stringContaining('before the nbf (not before) time'),
    ],
    [
      'for others is none',
      () => issuer.token({ ...sub, aud: 'nobody' }),
      verify('oidc: expected audience in ["annex" "other"] got ["nobody"]'),
    ],
    [
      'without an audience is refused',
      () => issuer.token({ ...sub, aud: undefined }),
      verify('oidc: expected audience in ["annex" "other"] got []'),
    ],
    [
      'for other audiences is refused',
      () => second.token({ aud: ['x', 'y'] }),
      verify('oidc: expected audience "annex" got ["x" "y"]'),
    ],
  ];
  it.each(rows)('%s', async (_what, token, expected) => {
    expect(await outcome(token())).toEqual(expected);
  });
});

describe('a change', () => {
  it('new keys of an issuer are fetched when a token uses them', async () => {
    issuer.rotate();
    expect(await outcome(issuer.token({ sub: 'bob' }))).toEqual(bob);
  });

  it('an issuer without an issuer URL is refused', async () => {
    await using liar = await startTokenIssuer((document) => ({ ...document, issuer: 'https://other' }));
    const text = configuration()
      .replaceAll(issuer.url, liar.url)
      .replaceAll(JSON.stringify(issuer.ca), JSON.stringify(liar.ca));
    const warned = Promise.withResolvers<unknown>();
    const log = { ...nullLogger, warn: (_: string, fields?: object) => warned.resolve(fields) };
    const opened = await openConfiguredTokens(fixedText(text), { ...options(), log });
    opened.start();
    const error = expect.objectContaining({
      message: `oidc: issuer did not match the issuer returned by provider, expected "${liar.url}" got "https://other"`,
    });
    expect(await warned.promise).toMatchObject({ issuer: liar.url, error });
    await expect(opened.authenticateToken(liar.token({}))).rejects.toThrow(
      'oidc: authenticator not initialized',
    );
    opened.stop();
  });

  it('a changed file is applied when its issuers are available; an invalid one is not', async () => {
    await using late = await startTokenIssuer();
    let present = configuration();
    let changed = () => {};
    const file = {
      current: () => present,
      onChange: (listener: () => void) => ((changed = listener), () => {}),
    };
    const message: string[] = [];
    const log = {
      info: (text: string) => void message.push(text),
      warn: (text: string, fields?: { error?: Error }) =>
        void message.push(`${text}: ${fields?.error?.message}`),
    };
    const metrics = createMetrics();
    const opened = await openConfiguredTokens(file, { ...options(), log, metrics });
    opened.start(file);
    const token = late.token({ sub: 'bob' });
    expect(await opened.authenticateToken(token)).toBeUndefined();
    const good = present
      .replaceAll(issuer.url, late.url)
      .replaceAll(JSON.stringify(issuer.ca), JSON.stringify(late.ca));
    for (const [text, why] of [
      ['', 'empty config data'],
      [
        `${good}anonymous: { enabled: false }\n`,
        'invalid authentication configuration: anonymous: Forbidden: changed from initial configuration file',
      ],
    ] as const) {
      present = text;
      changed();
      await vi.waitFor(
        () => expect(message).toContain(`a changed authentication configuration was rejected: ${why}`),
        { timeout: 20_000 },
      );
    }
    present = good;
    changed();
    await vi.waitFor(async () => expect((await opened.authenticateToken(token))?.user).toEqual(bob), {
      timeout: 20_000,
    });
    const counted = await metrics.render();
    const reloads = 'apiserver_authentication_config_controller_automatic_reloads_total';
    expect(counted).toMatch(new RegExp(`^${reloads}\\{.*status="failure".* 2$`, 'm'));
    expect(counted).toMatch(new RegExp(`^${reloads}\\{.*status="success".* 1$`, 'm'));
    opened.stop();
  });
});
