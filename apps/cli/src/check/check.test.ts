import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { join } from 'node:path';
import type { RemoteApiService } from '@annex/aggregation';
import { createTestCA } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkApiService } from './check-command.ts';
import type { Outcome, Result } from './finding.ts';
import { type RunningAnnex, runAnnex } from '../running-annex.fixture.ts';
import type { Probe } from './probe.ts';
import { discovery, type Fault, availabilityChecked, setUp, type SetUp } from './set-up.fixture.ts';
import { availableStep } from './steps-responses.ts';

let annex: RunningAnnex;
let registered: SetUp | undefined;

beforeAll(async () => {
  annex = await runAnnex('--ephemeral');
});
afterAll(() => annex.stop());
afterEach(() => registered?.stop());

interface Requested {
  extensionUser?: string;
  proxyClientCertFile?: string;
  proxyClientKeyFile?: string;
}

async function check(fault: Fault, requested: Requested = {}): Promise<Result[]> {
  registered = await setUp(annex, fault);
  await availabilityChecked(annex, registered.name);
  return await checkApiService(annex.admin, registered.name, {
    timeout: 2_000,
    extensionUser: undefined,
    proxyClientCertFile: undefined,
    proxyClientKeyFile: undefined,
    ...requested,
  });
}

const named = (results: readonly Result[], outcome: Outcome): string[] =>
  results.filter((result) => result.outcome === outcome).map(({ step }) => step);

const day = 86_400_000;
const later = (days: number): Date => new Date(Date.now() + days * day);
const status = (code: number, message: string): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code });

/** Serves administrators, and rejects other users with a status. */
const toAdministrators =
  (code: number, message: string): RequestListener =>
  (req, res) => {
    if (String(req.headers['x-remote-group']).includes('system:masters')) toAll(req, res);
    else res.writeHead(code, { 'content-type': 'application/json' }).end(status(code, message));
  };

const toAll = (req: IncomingMessage, res: ServerResponse): void => {
  const [, , group = ''] = (req.url ?? '').split('/');
  discovery(group)(req, res);
};

describe('annex check apiservice of a correct set-up', () => {
  it('has no failed step, and reports what cannot be checked', async () => {
    const results = await check({});
    expect(named(results, 'failed')).toEqual([]);
    expect(named(results, 'unseen')).toEqual(['reader-role', 'auth-delegator']);
    expect(named(results, 'warning')).toEqual(['openapi']);
    expect(named(results, 'skipped')).toEqual([]);
  });

  it('also finds the server by its endpoints', async () => {
    expect(named(await check({ service: 'endpoints' }), 'failed')).toEqual([]);
  });

  it('uses the certificate of the proxy if it is set', async () => {
    const results = await check(
      {},
      {
        proxyClientCertFile: join(annex.pki, 'front-proxy-client.crt'),
        proxyClientKeyFile: join(annex.pki, 'front-proxy-client.key'),
      },
    );
    expect(results.find(({ step }) => step === 'proxy-certificate')).toMatchObject({
      outcome: 'ok',
      text: 'the server accepts the certificate',
    });
  });

  it('checks the permissions of the server’s user', async () => {
    const user = 'system:serviceaccount:default:bound';
    await bind('rolebindings', 'Role', 'extension-apiserver-authentication-reader', user);
    await bind('clusterrolebindings', 'ClusterRole', 'system:auth-delegator', user);
    const results = await check({}, { extensionUser: user });
    expect(named(results, 'ok')).toEqual(expect.arrayContaining(['reader-role', 'auth-delegator']));
  });
});

const bind = (resource: string, kind: string, role: string, user: string) =>
  annex.admin.json({
    method: 'POST',
    path: `/apis/rbac.authorization.k8s.io/v1/${kind === 'Role' ? 'namespaces/kube-system/' : ''}${resource}`,
    body: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: kind === 'Role' ? 'RoleBinding' : 'ClusterRoleBinding',
      metadata: { name: 'bound' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    },
  });

/** A set-up with a fault, the first step that fails, its text, and how to fix it. */
type Case = [what: string, fault: Fault, step: string, text: RegExp, fix: RegExp];

const noStatus401: RequestListener = (_req, res) =>
  res.writeHead(401, { 'content-type': 'application/json' }).end(status(401, 'Unauthorized'));

const cases: Case[] = [
  ['no Service', { service: 'none' }, 'service', /^there is no Service default\/ext-/, /Create it/],
  [
    'the targetPort instead of the port',
    { service: 'endpoints', port: 8443 },
    'service',
    /^the Service has no port 8443, only 443$/,
    /not to a targetPort/,
  ],
  [
    'a selector without Pods',
    { service: 'selector' },
    'endpoints',
    /^no Pod matches the selector of the Service: app=ext-/,
    /Correct spec\.selector/,
  ],
  ['Pods that are not ready', { service: 'unready' }, 'endpoints', /^no endpoint is ready$/, /readiness/],
  [
    'a port with another name',
    { service: 'other-port-name' },
    'endpoints',
    /^the endpoints have no port named "https", only "api"$/,
    /same name/,
  ],
  ['a server that is down', { down: true }, 'dial', /^no process listens on localhost:\d+$/, /--secure-port/],
  [
    'a name without an address',
    { service: 'unresolvable' },
    'dial',
    /^the name nowhere\.invalid has no address$/,
    /externalName/,
  ],
  [
    'a bundle that is not PEM',
    { bundle: 'TUlJQ' },
    'ca-bundle',
    /^it contains no PEM certificate$/,
    /base64 encoded once/,
  ],
  [
    'a bundle encoded twice',
    { bundle: Buffer.from(createTestCA('twice').certificate).toString('base64') },
    'ca-bundle',
    /^it contains no PEM certificate$/,
    /base64 encoded once/,
  ],
  [
    'the wrong CA',
    { trusts: createTestCA('another-ca') },
    'certificate',
    /^no CA of spec\.caBundle signed it$/,
    /to the CA that signed/,
  ],
  [
    'the name in the common name alone',
    { serving: (by, host) => by.issue({ commonName: host, server: true }) },
    'certificate',
    /^it has no subject alternative names: its common name "ext-\d+\.default\.svc" is ignored$/,
    /DNS:ext-/,
  ],
  [
    'the wrong alternative name',
    { serving: (by) => by.issue({ commonName: 'x', dnsNames: ['ext.default.svc.cluster.local'] }) },
    'certificate',
    /^it is for DNS:ext\.default\.svc\.cluster\.local, not for ext-\d+\.default\.svc$/,
    /DNS:ext-/,
  ],
  [
    'an expired certificate',
    {
      serving: (by, host) =>
        by.issue({ commonName: host, dnsNames: [host], notBefore: later(-9), notAfter: later(-1) }),
    },
    'certificate',
    /^CN=ext-\d+\.default\.svc expired at 20/,
    /Renew/,
  ],
  [
    'a certificate that is not yet valid',
    {
      serving: (by, host) =>
        by.issue({ commonName: host, dnsNames: [host], notBefore: later(1), notAfter: later(9) }),
    },
    'certificate',
    /^CN=ext-\d+\.default\.svc is not valid before 20/,
    /clocks/,
  ],
  [
    'a certificate for clients',
    { serving: (by, host) => by.issue({ commonName: host, dnsNames: [host], server: false }) },
    'certificate',
    /^it is not a server certificate$/,
    /serverAuth/,
  ],
  [
    'a server that does not trust the proxy',
    { response: noStatus401 },
    'proxy-certificate',
    /^the server does not trust the API server’s proxy: it returned 401$/,
    /requestheader-client-ca-file/,
  ],
  [
    'a server whose discovery fails',
    { response: (_req, res) => res.writeHead(500).end() },
    'available',
    /^FailedDiscoveryCheck: .* bad status from \S+: 500$/,
    /log of the server/,
  ],
  [
    'a version that the server does not serve',
    { response: (_req, res) => res.writeHead(404).end() },
    'available',
    /bad status from \S+: 404$/,
    /spec\.version/,
  ],
  [
    'a proxy that returns its login page',
    { response: (_req, res) => res.setHeader('content-type', 'text/html').end('<html>Sign in</html>') },
    'discovery',
    /^the response is HTML, not an APIResourceList$/,
    /ingress/,
  ],
  [
    'a server that redirects clients',
    { response: (_req, res) => res.writeHead(302, { location: 'https://login.example.com/' }).end() },
    'available',
    /bad status from \S+: 302$/,
    /login page/,
  ],
  [
    'an empty response',
    { response: (_req, res) => res.writeHead(200).end() },
    'discovery',
    /^the response is empty, not an APIResourceList$/,
    /ingress/,
  ],
  [
    'another group in discovery',
    {
      response: (_req, res) =>
        res.end(
          '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"old.example.com/v1","resources":[]}',
        ),
    },
    'discovery',
    /^the server serves old\.example\.com\/v1, but ext-\d+\.example\.com\/v1 is registered$/,
    /spec\.group/,
  ],
  [
    'no system:auth-delegator',
    {
      response: toAdministrators(
        500,
        'Internal Server Error: "/apis": subjectaccessreviews.authorization.k8s.io is forbidden: ' +
          'User "system:serviceaccount:wardle:api" cannot create resource "subjectaccessreviews"',
      ),
    },
    'delegated',
    /^the API server allows it, but the server returned 500: .*subjectaccessreviews/,
    /system:auth-delegator to system:serviceaccount:wardle:api/,
  ],
  [
    'a server that denies what the API server allows',
    { response: toAdministrators(403, 'forbidden: User "annex-check" cannot get path') },
    'delegated',
    /^the API server allows it, but the server returned 403/,
    /system:auth-delegator/,
  ],
];

describe('annex check apiservice of a set-up with one error', () => {
  it.each(cases)('finds %s', async (_what, fault, step, text, fix) => {
    const results = await check(fault);
    const first = results.find(({ outcome }) => outcome === 'failed');
    expect(first).toMatchObject({
      step,
      text: expect.stringMatching(text) as string,
      fix: expect.stringMatching(fix) as string,
    });
    const others = named(results, 'failed').filter((name) => name !== step);
    // The API server also reports the error, if at all.
    expect(others.every((name) => name === 'available')).toBe(true);
  });

  const unbound = 'system:serviceaccount:default:unbound';
  it.each([
    [
      'reader-role',
      `${unbound} is not allowed to get configmaps/extension-apiserver-authentication in kube-system`,
    ],
    ['auth-delegator', `${unbound} is not allowed to create tokenreviews`],
  ])('finds a service account without %s', async (step, text) => {
    const results = await check({}, { extensionUser: unbound });
    expect(results.find((result) => result.step === step)).toMatchObject({
      outcome: 'failed',
      text,
      fix: expect.stringContaining('--serviceaccount=default:unbound') as string,
    });
  });

  it('reports that the API server cannot reach a server that can be reached from here', async () => {
    registered = await setUp(annex, {});
    await availabilityChecked(annex, registered.name);
    const found = await annex.admin.json<RemoteApiService>({
      path: `/apis/apiregistration.k8s.io/v1/apiservices/${registered.name}`,
    });
    const message =
      'Get "https://10.96.0.5:443/apis": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    found.status = {
      conditions: [{ type: 'Available', status: 'False', reason: 'FailedDiscoveryCheck', message }],
    };
    const chain = [new X509Certificate(createTestCA('server').certificate)];
    const seen = { chain, endpoint: { host: '10.96.0.5', port: 443 } };
    const facts = {
      client: annex.admin,
      name: registered.name,
      timeoutMs: 2_000,
      extensionUser: undefined,
      proxyClient: undefined,
      apiService: found,
      endpoints: [],
      podUsers: new Set<string>(),
    };
    const fix = async (more: { probe?: Probe }) => (await availableStep.run({ ...facts, ...more })).fix;
    expect(await fix({ probe: seen })).toMatch(
      /^The server can be reached from here\. .*NetworkPolic.*NO_PROXY/,
    );
    expect(await fix({})).toBe('See step dial: the API server cannot reach the server.');
  });

  it('warns of another version of the group that is not available', async () => {
    const results = await check({ otherVersion: 'v2' });
    expect(named(results, 'failed')).toEqual([]);
    expect(results.find(({ step }) => step === 'group')).toMatchObject({
      outcome: 'warning',
      text: expect.stringMatching(/^v2\.ext-\d+\.example\.com of the same group is not available$/) as string,
    });
  });

  it('warns if the certificate is not verified', async () => {
    const results = await check({ insecure: true });
    expect(named(results, 'failed')).toEqual([]);
    expect(named(results, 'warning')).toContain('ca-bundle');
  });

  it('reports a missing APIService, and skips the steps that need it', async () => {
    const results = await checkApiService(annex.admin, 'v1.nowhere.example.com', {
      timeout: 2_000,
      extensionUser: undefined,
      proxyClientCertFile: undefined,
      proxyClientKeyFile: undefined,
    });
    expect(named(results, 'failed')).toEqual(['api-service']);
    expect(named(results, 'ok')).toEqual(['request-header']);
  });

  it('reports a version that the API server itself serves', async () => {
    const results = await checkApiService(annex.admin, 'v1.apps', {
      timeout: 2_000,
      extensionUser: undefined,
      proxyClientCertFile: undefined,
      proxyClientKeyFile: undefined,
    });
    expect(results[0]).toMatchObject({
      outcome: 'failed',
      text: 'apps/v1 is served by the API server itself',
    });
  });
});

describe('a server that checks the certificate of its clients', () => {
  const asProxy =
    (cn: string): RequestListener =>
    (req, res) => {
      const { subject } = (req.socket as TLSSocket).getPeerCertificate();
      if (subject?.CN === cn) toAll(req, res);
      else noStatus401(req, res);
    };
  it('that trusts the proxy passes', async () => {
    expect(named(await check({ response: asProxy('front-proxy-client') }), 'failed')).toEqual([]);
  });
  it('that allows other names fails, and is probed with the certificate if it is set', async () => {
    const results = await check(
      { response: asProxy('aggregator') },
      {
        proxyClientCertFile: join(annex.pki, 'front-proxy-client.crt'),
        proxyClientKeyFile: join(annex.pki, 'front-proxy-client.key'),
      },
    );
    expect(named(results, 'failed')).toEqual(['proxy-certificate', 'available']);
  });
  it.each([['that another CA signed', 'admin', /^no CA of the ConfigMap signed/]])(
    'is not sent a certificate %s',
    async (_what, file, text) => {
      const results = await check(
        {},
        {
          proxyClientCertFile: join(annex.pki, `${file}.crt`),
          proxyClientKeyFile: join(annex.pki, `${file}.key`),
        },
      );
      expect(results.find(({ step }) => step === 'proxy-certificate')).toMatchObject({
        outcome: 'failed',
        text: expect.stringMatching(text) as string,
      });
    },
  );
});
