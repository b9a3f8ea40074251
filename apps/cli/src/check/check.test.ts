import type { RequestListener } from 'node:http';
import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { join } from 'node:path';
import type { RemoteApiService } from '@annex/aggregation';
import { createTestCA } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { checkApiService } from './check-command.ts';
import { faultCases, noStatus401, toAll } from './faults.fixture.ts';
import type { Outcome, Result } from './finding.ts';
import { type RunningAnnex, runAnnex } from '../running-annex.fixture.ts';
import type { Probe } from './probe.ts';
import { type Fault, availabilityChecked, setUp, type SetUp } from './set-up.fixture.ts';
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

describe('annex check apiservice of a set-up with one error', () => {
  it.each(faultCases)('finds %s', async (_what, fault, step, text, fix) => {
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
