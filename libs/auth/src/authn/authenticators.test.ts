import { X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { anonymousAuthenticator } from './anonymous-authenticator.ts';
import {
  bearerTokenAuthenticator,
  maxBearerTokenLength,
  type TokenAuthenticator,
} from './bearer-token-authenticator.ts';
import {
  type CertificateAndKey,
  issueClientCertificate,
  issueServingCertificate,
  createCA,
  newPrivateKey,
  signCertificate,
} from '../pki/pki-certificate.ts';
import { type RequestHeaderOptions, requestHeaderAuthenticator } from './request-header-authenticator.ts';
import { maxKeptVerdicts } from './peer-chain.ts';
import { credentialsOf } from './peers.fixture.ts';
import { type Authenticator, CredentialsError } from '../types.ts';
import { unionAuthenticator } from './union-authenticator.ts';
import { x509Authenticator } from './x509-authenticator.ts';

const hour = 3_600_000;
let key: string;
let ca: CertificateAndKey;
let proxyCa: CertificateAndKey;
let alice: string;
let proxy: string;
let otherProxy: string;

beforeAll(async () => {
  key = await newPrivateKey();
  [ca, proxyCa] = await Promise.all([createCA('ca'), createCA('front-proxy-ca')]);
  const client = async (issuer: CertificateAndKey, user: string, groups: string[] = []) =>
    (await issueClientCertificate(issuer, { user, groups }, { key })).cert;
  alice = await client(ca, 'alice', ['dev', 'ops']);
  proxy = await client(proxyCa, 'front-proxy-client');
  otherProxy = await client(proxyCa, 'other');
});

const outcome = async (authenticator: Authenticator, ...credentials: Parameters<typeof credentialsOf>) => {
  try {
    return (await authenticator.authenticate(credentialsOf(...credentials)))?.user ?? 'not mine';
  } catch (error) {
    if (error instanceof CredentialsError) return `refused: ${error.message}`;
    throw error;
  }
};

it('a token beyond maxBearerTokenLength is invalid without being read', async () => {
  const read: number[] = [];
  const tokens: TokenAuthenticator = {
    name: 'any',
    authenticateToken(token) {
      read.push(token.length);
      return undefined;
    },
  };
  const authenticator = bearerTokenAuthenticator([tokens]);
  for (const length of [maxBearerTokenLength, maxBearerTokenLength + 1]) {
    const result = await outcome(authenticator, [], [['Authorization', `Bearer ${'a'.repeat(length)}`]]);
    expect(result).toBe('refused: invalid bearer token');
  }
  expect(read).toEqual([maxBearerTokenLength]);
});

describe('x509Authenticator', () => {
  it('AGG-034 uses the common name as user and the organizations as groups', async () => {
    expect(await outcome(x509Authenticator({ caPem: ca.cert }), [alice])).toEqual({
      name: 'alice',
      groups: ['dev', 'ops'],
      extra: {
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)],
      },
    });
  });

  it('returns nothing without a certificate', async () => {
    expect(await outcome(x509Authenticator({ caPem: ca.cert }), [])).toBe('not mine');
  });

  it('keeps names beyond ASCII', async () => {
    const { cert } = await issueClientCertificate(
      ca,
      { user: 'zoë@example.com', groups: ['größe'] },
      { key },
    );
    expect(await outcome(x509Authenticator({ caPem: ca.cert }), [cert])).toMatchObject({
      name: 'zoë@example.com',
      groups: ['größe'],
    });
  });

  it('verifies a connection once and refuses it when the certificate expires', async () => {
    let now = Date.now();
    const authenticator = x509Authenticator({ caPem: ca.cert, now: () => now });
    const credentials = credentialsOf([alice]);
    const first = authenticator.authenticate(credentials);
    expect(authenticator.authenticate(credentials)).toBe(first);
    now += 366 * 24 * hour;
    expect(() => authenticator.authenticate(credentials)).toThrow(CredentialsError);
  });

  it('verifies the certificate of a client once for all of its connections', async () => {
    let now = Date.now();
    const authenticator = x509Authenticator({ caPem: ca.cert, now: () => now });
    const connect = (...chain: string[]) => authenticator.authenticate(credentialsOf(chain));
    const first = connect(alice);
    expect(connect(alice)).toBe(first);
    expect(connect(alice, ca.cert)).not.toBe(first);
    expect(() => connect(proxy)).toThrow(CredentialsError);
    expect(() => connect(proxy)).toThrow(CredentialsError);
    now += 366 * 24 * hour;
    expect(() => connect(alice)).toThrow(CredentialsError);
  });

  it('forgets the oldest of more than maxKeptVerdicts', () => {
    const authenticator = x509Authenticator({ caPem: ca.cert });
    // Further certificates of a chain that nothing refers to: each chain is another one.
    const connect = (i: number) =>
      authenticator.authenticate(
        credentialsOf([alice, ...[...i.toString(2)].map((digit) => (digit === '1' ? proxy : otherProxy))]),
      );
    const first = connect(1);
    for (let i = 2; i <= maxKeptVerdicts; i++) connect(i);
    expect(connect(1)).toBe(first);
    connect(maxKeptVerdicts + 1);
    expect(connect(1)).not.toBe(first);
  });

  it('follows the clock over the beginning and the end of a certificate, either way', async () => {
    const [begin, end] = [Date.UTC(2030, 0, 1), Date.UTC(2031, 0, 1)];
    const ca = await createCA('ca', { key, now: Date.UTC(2029, 6, 1) });
    const period = { notBefore: begin, notAfter: end };
    const cert = await signCertificate({ commonName: 'alice', usage: 'client', ...period }, key, ca);
    let now = 0;
    const authenticator = x509Authenticator({ caPem: ca.cert, now: () => now });
    const credentials = credentialsOf([cert]);
    const accepted = (at: number) => {
      now = at;
      try {
        return authenticator.authenticate(credentials) !== undefined;
      } catch {
        return false;
      }
    };
    const moments = [begin - 1, begin, end, end + 1, end, begin - 1, end + 1000, begin];
    expect(moments.map(accepted)).toEqual([false, true, true, false, true, false, false, true]);
  });

  it('accepts a chain with an intermediate CA, if each link may sign', async () => {
    const period = { notBefore: Date.now() - hour, notAfter: Date.now() + hour };
    const middle = {
      key,
      cert: await signCertificate({ commonName: 'middle', usage: 'ca', ...period }, key, ca),
    };
    const leaf = (await issueClientCertificate(middle, { user: 'bob' }, { key })).cert;
    const belowLeaf = (await issueClientCertificate({ key, cert: alice }, { user: 'eve' }, { key })).cert;
    const authenticator = x509Authenticator({ caPem: ca.cert });
    expect(await outcome(authenticator, [leaf, middle.cert])).toMatchObject({ name: 'bob' });
    expect(await outcome(authenticator, [leaf])).toBe(
      'refused: x509: certificate signed by unknown authority',
    );
    expect(await outcome(authenticator, [belowLeaf, alice])).toMatch(/^refused/);
  });

  it('trusts every CA of a bundle', async () => {
    const authenticator = x509Authenticator({ caPem: `${proxyCa.cert}\n${ca.cert}` });
    expect(await outcome(authenticator, [alice])).toMatchObject({ name: 'alice' });
    expect(await outcome(authenticator, [proxy])).toMatchObject({ name: 'front-proxy-client' });
  });

  it('refuses a certificate that is not a client certificate of the CA', async () => {
    const authenticator = x509Authenticator({ caPem: ca.cert });
    const impostor = await createCA('ca', { key });
    const serving = await issueServingCertificate(ca, { commonName: 'x', subjectAltNames: [] }, { key });
    const forged = await issueClientCertificate(impostor, { user: 'alice' }, { key });
    const old = await issueClientCertificate(
      ca,
      { user: 'alice' },
      { key, now: Date.now() - 400 * 24 * hour },
    );
    expect(await outcome(authenticator, [proxy])).toBe(
      'refused: x509: certificate signed by unknown authority',
    );
    expect(await outcome(authenticator, [forged.cert])).toMatch(/^refused/);
    expect(await outcome(authenticator, [serving.cert])).toBe(
      'refused: x509: certificate specifies an incompatible key usage',
    );
    expect(await outcome(authenticator, [old.cert])).toMatch(/^refused: x509: certificate has expired/);
  });
});

const headerAuthenticator = (options: Partial<RequestHeaderOptions> = {}) =>
  requestHeaderAuthenticator({
    caPem: proxyCa.cert,
    allowedNames: ['front-proxy-client'],
    usernameHeaders: ['X-Remote-User'],
    groupHeaders: ['X-Remote-Group'],
    uidHeaders: [],
    extraHeadersPrefix: ['X-Remote-Extra-'],
    ...options,
  });

describe('requestHeaderAuthenticator', () => {
  it('reads the certificate of a proxy once for all of its users', async () => {
    using reading = vi.spyOn(X509Certificate.prototype, 'toLegacyObject');
    const authenticator = headerAuthenticator();
    const names = ['bob', 'carol', 'dave'];
    const users = await Promise.all(
      names.map((name) => outcome(authenticator, [proxy], [['X-Remote-User', name]])),
    );
    expect(users).toMatchObject(names.map((name) => ({ name })));
    expect(reading).toHaveBeenCalledTimes(1);
  });

  const rows: [string, [string, string][], unknown][] = [
    [
      'AGG-035 takes user and groups from the headers',
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Group', 'a'],
        ['x-remote-group', 'b'],
      ],
      { name: 'bob', groups: ['a', 'b'], extra: {} },
    ],
    [
      'does not split a group at commas, drops an empty one',
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Group', 'a,b'],
        ['X-Remote-Group', ''],
      ],
      { name: 'bob', groups: ['a,b'], extra: {} },
    ],
    [
      'lower-cases and unescapes extra keys',
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Extra-Example.com%2fScopes', 'x'],
        ['x-remote-extra-example.com%2Fscopes', 'y'],
      ],
      { name: 'bob', groups: [], extra: { 'example.com/scopes': ['x', 'y'] } },
    ],
    [
      'keeps an extra key whose escape is broken',
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Extra-a%zz', 'x'],
      ],
      { name: 'bob', groups: [], extra: { 'a%zz': ['x'] } },
    ],
    [
      'ignores the uid header if none is configured',
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Uid', 'u'],
      ],
      { name: 'bob', groups: [], extra: {} },
    ],
    ['returns nothing without a user', [['X-Remote-Group', 'system:masters']], 'not mine'],
  ];
  it.each(rows)('%s', async (_, headers, expected) => {
    expect(await outcome(headerAuthenticator(), [proxy], headers)).toEqual(expected);
  });

  it('keeps an empty group if configured to', async () => {
    const headers: [string, string][] = [
      ['X-Remote-User', 'bob'],
      ['X-Remote-Group', ''],
    ];
    const user = await outcome(headerAuthenticator({ keepsEmptyGroups: true }), [proxy], headers);
    expect(user).toEqual({ name: 'bob', groups: [''], extra: {} });
  });

  it('reads the uid from the configured header', async () => {
    const user = await outcome(
      headerAuthenticator({ uidHeaders: ['X-Remote-Uid'] }),
      [proxy],
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Uid', 'u-1'],
      ],
    );
    expect(user).toEqual({ name: 'bob', uid: 'u-1', groups: [], extra: {} });
  });

  it('AGG-011 AGG-012 AGG-036 refuses another CA and another name', async () => {
    const headers: [string, string][] = [['X-Remote-User', 'bob']];
    expect(await outcome(headerAuthenticator(), [alice], headers)).toMatch(/^refused/);
    expect(await outcome(headerAuthenticator(), [otherProxy], headers)).toBe(
      'refused: x509: subject with cn=other is not in the allowed list',
    );
  });

  it('AGG-023 accepts any name if no names are configured', async () => {
    const authenticator = headerAuthenticator({ allowedNames: [] });
    expect(await outcome(authenticator, [otherProxy], [['X-Remote-User', 'bob']])).toMatchObject({
      name: 'bob',
    });
  });
});

describe('unionAuthenticator', () => {
  const server = (options: { proxyCaPem?: string } = {}) =>
    unionAuthenticator(
      [
        headerAuthenticator({ caPem: options.proxyCaPem ?? proxyCa.cert }),
        x509Authenticator({ caPem: ca.cert }),
      ],
      anonymousAuthenticator,
    );

  it('AGG-039 accepts both users and proxies, and adds system:authenticated', async () => {
    expect(await outcome(server(), [alice])).toMatchObject({
      name: 'alice',
      groups: ['dev', 'ops', 'system:authenticated'],
    });
    expect(await outcome(server(), [proxy], [['X-Remote-User', 'bob']])).toMatchObject({
      name: 'bob',
      groups: ['system:authenticated'],
    });
  });

  it('AGG-020 never takes identity headers from a user', async () => {
    expect(await outcome(server(), [alice], [['X-Remote-User', 'root']])).toMatchObject({ name: 'alice' });
    expect(await outcome(server(), [], [['X-Remote-User', 'root']])).toEqual({
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
      extra: {},
    });
  });

  it('refuses a proxy certificate without a user, which is not a client certificate', async () => {
    expect(await outcome(server(), [proxy])).toMatch(/^refused/);
  });

  it('AGG-037 AGG-038 checks the request-header CA first: users are refused if both CAs are the same', async () => {
    expect(await outcome(server({ proxyCaPem: ca.cert }), [alice])).toMatch(/^refused/);
  });

  it('adds no system:authenticated beside system:unauthenticated', async () => {
    const user = await outcome(
      server(),
      [proxy],
      [
        ['X-Remote-User', 'bob'],
        ['X-Remote-Group', 'system:unauthenticated'],
      ],
    );
    expect(user).toMatchObject({ groups: ['system:unauthenticated'] });
  });
});

describe('CAs that change', () => {
  it('let users in and out, also on connections that are there', async () => {
    let present = proxyCa.cert;
    const listeners: (() => void)[] = [];
    const authenticator = x509Authenticator({
      caPem: { current: () => present, onChange: (listener) => (listeners.push(listener), () => {}) },
    });
    const credentials = credentialsOf([alice]);
    const change = (pem: string) => {
      present = pem;
      listeners.forEach((listener) => listener());
    };
    expect(() => authenticator.authenticate(credentials)).toThrow(CredentialsError);
    change(`${proxyCa.cert}\n${ca.cert}`);
    expect(authenticator.authenticate(credentials)).toMatchObject({ user: { name: 'alice' } });
    change(proxyCa.cert);
    expect(() => authenticator.authenticate(credentials)).toThrow(CredentialsError);
  });

  it('a certificate that was not valid yet becomes valid', async () => {
    let now = Date.now() - 2 * hour;
    const period = { notBefore: Date.now() - hour, notAfter: Date.now() + hour };
    const cert = await signCertificate({ commonName: 'later', usage: 'client', ...period }, key, ca);
    const credentials = credentialsOf([cert]);
    const authenticator = x509Authenticator({ caPem: ca.cert, now: () => now });
    expect(() => authenticator.authenticate(credentials)).toThrow('not yet valid');
    now += 2 * hour;
    expect(authenticator.authenticate(credentials)).toMatchObject({ user: { name: 'later' } });
  });
});
