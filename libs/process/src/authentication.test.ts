import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { bearerTokenAuthenticator, CredentialsError, unionAuthenticator } from '@annex/auth';
import { createMetrics, createLiveFiles, nullLogger, parseOptions, systemClock } from '@annex/runtime';
import { createFeed, createMemoryStore } from '@annex/storage';
import { createTestCA, startTokenIssuer, tempFolder, type TokenIssuer } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type AuthenticationConfig,
  authenticationConflicts,
  authenticationOptions,
} from './authentication-options.ts';
import { openAuthentication, type OpenedAuthentication } from './authentication.ts';
import { type ServiceAccountConfig, serviceAccountOptions } from './service-account-options.ts';

type Config = AuthenticationConfig & ServiceAccountConfig;
const options = { ...authenticationOptions, ...serviceAccountOptions };

const folder = tempFolder('annex-authentication-');
const store = createMemoryStore();
const feed = createFeed(store);
const files = createLiveFiles(nullLogger);
const opened: OpenedAuthentication[] = [];
let issuer: TokenIssuer;

beforeAll(async () => {
  await feed.start();
  issuer = await startTokenIssuer();
});
afterAll(async () => {
  for (const { part } of opened) await part.stop?.();
  files.close();
  await feed.close();
  await store.close();
  await issuer[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function file(name: string, text: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
}

function parsed(argv: string[]) {
  return parseOptions<Config>(options, argv, {}, authenticationConflicts);
}

/** Accepts all credentials of the options. */
async function open(...argv: string[]) {
  const read = parsed(argv);
  if (read.kind !== 'config') throw new Error(JSON.stringify(read));
  const deps = { feed, store, clock: systemClock, log: nullLogger, metrics: createMetrics() };
  const authentication = await openAuthentication(read.config, { files, deps, verificationKeys: [] });
  opened.push(authentication);
  await authentication.part.start?.();
  const tokens = bearerTokenAuthenticator(authentication.tokens);
  return unionAuthenticator([tokens], authentication.anonymous);
}

async function whoIs(authenticator: Awaited<ReturnType<typeof open>>, token?: string, path = '/') {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const credentials = { headers, rawHeaders: [], peerCertificate: undefined, path };
    return (await authenticator.authenticate(credentials))?.user.name ?? 'nobody';
  } catch (error) {
    if (error instanceof CredentialsError) return error.message;
    throw error;
  }
}

describe('tokens', () => {
  it('of a file', async () => {
    const authenticator = await open(`--token-auth-file=${file('tokens.csv', 't1,bob,u1,"a,b"\n')}`);
    expect(await whoIs(authenticator, 't1')).toBe('bob');
    expect(await whoIs(authenticator, 't2')).toBe('invalid bearer token');
  });

  it('of an issuer in the options', async () => {
    const ca = file('issuer.crt', issuer.ca);
    const authenticator = await open(
      `--oidc-issuer-url=${issuer.url}`,
      '--oidc-client-id=annex',
      `--oidc-ca-file=${ca}`,
      '--oidc-required-claim=hd=example.com',
    );
    const token = issuer.token({ sub: 'bob', hd: 'example.com' });
    await vi.waitFor(async () => expect(await whoIs(authenticator, token)).toBe(`${issuer.url}#bob`), {
      timeout: 20_000,
    });
    expect(await whoIs(authenticator, issuer.token({ sub: 'bob' }))).toBe(
      '[invalid bearer token, oidc: required claim hd not present in ID token]',
    );
    const onCurve = issuer.token({ sub: 'bob', hd: 'example.com' }, { alg: 'ES256' });
    expect(await whoIs(authenticator, onCurve)).toBe(
      '[invalid bearer token, oidc: verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "ES256"]',
    );
  });

  it('of a webhook in a kubeconfig', async () => {
    const ca = createTestCA('webhook-ca');
    const { certificate: cert, key } = ca.issue({ commonName: 'webhook', ipAddresses: ['127.0.0.1'] });
    const requested: string[] = [];
    const webhook = createServer({ cert, key }, (req, res) => {
      let text = '';
      req.on('data', (chunk: Buffer) => (text += chunk.toString()));
      req.on('end', () => {
        const { apiVersion, kind, spec } = JSON.parse(text) as {
          apiVersion: string;
          kind: string;
          spec: { token: string };
        };
        requested.push(`${req.method} ${req.url} ${apiVersion}`);
        const status =
          spec.token === 'good' ? { authenticated: true, user: { username: 'bob' } } : { error: 'nobody' };
        res.setHeader('Content-Type', 'application/json').end(JSON.stringify({ apiVersion, kind, status }));
      });
    });
    await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
    const { port } = webhook.address() as AddressInfo;
    for (const [path, expected] of [
      ['/authenticate', '/authenticate'],
      ['', '/'],
    ] as const) {
      const kubeconfig = `
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:${port}${path}', certificate-authority-data: ${Buffer.from(ca.certificate).toString('base64')} } }]
users: [{ name: u, user: {} }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
current-context: x
`;
      const authenticator = await open(
        `--authentication-token-webhook-config-file=${file('webhook.yaml', kubeconfig)}`,
      );
      expect(await whoIs(authenticator, 'good')).toBe('bob');
      expect(await whoIs(authenticator, 'bad')).toBe('[invalid bearer token, nobody]');
      expect(requested.splice(0)).toEqual(
        Array(2).fill(`POST ${expected}?timeout=30s authentication.k8s.io/v1beta1`),
      );
    }
    webhook.closeAllConnections();
    await new Promise((resolve) => webhook.close(resolve));
  });
});

describe('requests without credentials', () => {
  const configuration = (anonymous: string) =>
    file(
      'anonymous.yaml',
      `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n${anonymous}\n`,
    );

  it.each<[string, string[], [path: string, who: string][]]>([
    ['are anonymous', [], [['/', 'system:anonymous']]],
    ['are unauthenticated if they are not accepted', ['--anonymous-auth=false'], [['/', 'nobody']]],
    [
      'are anonymous at the paths of a file',
      [
        `--authentication-config=${configuration('anonymous: { enabled: true, conditions: [{ path: /livez }] }')}`,
      ],
      [
        ['/livez', 'system:anonymous'],
        ['/livez/', 'nobody'],
        ['/', 'nobody'],
      ],
    ],
  ])('%s', async (_what, argv, expected) => {
    const authenticator = await open(...argv);
    for (const [path, who] of expected) expect(await whoIs(authenticator, undefined, path)).toBe(who);
  });

  it('are accepted by the file or by the option', async () => {
    const argv = [
      `--authentication-config=${configuration('anonymous: { enabled: false }')}`,
      '--anonymous-auth=true',
    ];
    await expect(open(...argv)).rejects.toMatchObject({
      code: 'OPTION_CONFLICT',
      message:
        'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    });
  });
});

describe('invalid options', () => {
  it.each([
    [
      '--oidc-issuer-url=https://a.example',
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    ],
    [
      '--oidc-groups-claim=groups',
      'oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set',
    ],
    [
      '--authentication-config=a.yaml --oidc-client-id=a',
      'authentication-config file and oidc-* flags are mutually exclusive',
    ],
  ])('%s', (argv, message) => {
    const read = parsed(argv.split(' '));
    expect(read.kind === 'errors' && read.errors.map((error) => error.message)).toEqual([message]);
  });

  it.each([
    ['a file that does not exist', '--authentication-config=/nowhere', 'FILE_UNREADABLE'],
    ['an empty file', `--authentication-config=${file('empty.yaml', '')}`, 'FILE_UNREADABLE'],
    ['a token file of one column', `--token-auth-file=${file('one.csv', 'a\n')}`, 'FILE_UNREADABLE'],
    [
      'an invalid kubeconfig',
      `--authentication-token-webhook-config-file=${file('none.yaml', '{}')}`,
      'FILE_UNREADABLE',
    ],
  ])('%s', async (_what, argv, code) => {
    await expect(open(argv)).rejects.toMatchObject({ code });
  });

  it('an issuer without TLS, and an unknown algorithm', async () => {
    const provided = ['--oidc-issuer-url=http://a.example', '--oidc-client-id=a'];
    await expect(open(...provided)).rejects.toMatchObject({ code: 'OPTION_CONFLICT' });
    await expect(open(...provided, '--oidc-signing-algs=HS256')).rejects.toMatchObject({
      message: 'oidc: unsupported signing alg: "HS256"',
    });
  });
});
