import { request } from 'node:https';
import { Client, loadKubeconfig } from '@annex/client';
import {
  apiServiceManifest,
  createTestCA,
  definitionManifest,
  externalServiceManifest,
  loadTestCA,
  validatingWebhookManifest,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProcesses } from '../runners/compose-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { awaitObject, isGone } from './await-object.ts';
import { hiddenPath, startHiddenBackend } from './konnectivity/hidden-backend.ts';
import { patienceMs } from './patience.ts';

let annex: Runner;
let client: Client;

const crd = definitionManifest({ group: 'stable.example.com', kind: 'Shirt' });
const shirts = '/apis/stable.example.com/v1/namespaces/default/shirts';
const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shirts.stable.example.com';

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`it did not happen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const response = async (path: string) => {
  const { status, body } = await client.send({ path });
  return { status, text: body.toString() };
};

beforeAll(async () => {
  annex = await startProcesses({
    profiles: ['fake-nodes', 'konnectivity', 'scheduler'],
    composeEnv: { ANNEX_EGRESS_SELECTOR_CONFIG_FILE: '/keys/egress-selector-configuration.yaml' },
    env: {
      // The destinations of this suite are on the machine of the agent.
      ANNEX_ALLOW_DESTINATIONS: 'localhost',
      // All processes restart, one after the other: that may take longer than the usual lease.
      ANNEX_LEADER_ELECT_LEASE_DURATION: '120s',
      ANNEX_LEADER_ELECT_RENEW_DEADLINE: '100s',
    },
  });
  client = new Client(await loadKubeconfig(annex.kubeconfig));
  await client.json({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: crd,
  });
  await until('the kind is served', async () => (await response(shirts)).status === 200);
  await until('the kind is documented', async () =>
    (await response('/apis')).text.includes('stable.example.com'),
  );
});
afterAll(async () => {
  client.close();
  await annex.stop();
});

it('the scheduler and fake nodes in processes of their own bind and run Pods', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const spec = { containers: [{ name: 'c', image: 'nginx' }] };
  await client.json({ method: 'POST', path: pods, body: { metadata: { name: 'web' }, spec } });
  await awaitObject(
    client,
    pods,
    'web',
    (pod) => (pod?.status as { phase?: string } | undefined)?.phase === 'Running',
  );
  await client.json({ method: 'DELETE', path: `${pods}/web` });
  await awaitObject(client, pods, 'web', isGone);
});

it('KON-001 KON-018 an extension API server and a webhook are reached through the tunnel of the profile konnectivity', async () => {
  const ca = createTestCA('tunneled-ca');
  using backend = await startHiddenBackend(ca);
  await client.json({
    method: 'POST',
    path: '/api/v1/namespaces/default/services',
    body: externalServiceManifest('hidden'),
  });
  await client.json({
    method: 'POST',
    path: '/apis/apiregistration.k8s.io/v1/apiservices',
    body: apiServiceManifest({
      group: 'hidden.example.com',
      service: 'hidden',
      port: backend.port,
      ca: ca.certificate,
    }),
  });
  await until('the group is served', async () => (await response(`${hiddenPath}/things`)).status === 200);
  await client.json({
    method: 'POST',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
    body: validatingWebhookManifest(
      'tunneled',
      {
        service: { namespace: 'default', name: 'hidden', port: backend.port },
        caBundle: Buffer.from(ca.certificate).toString('base64'),
      },
      { apiGroups: ['stable.example.com'], apiVersions: ['v1'], resources: ['*'] },
    ),
  });
  const shirt = { apiVersion: 'stable.example.com/v1', kind: 'Shirt', metadata: { name: 'a' } };
  await until('the webhook refuses', async () => {
    const text = await client.json({ method: 'POST', path: shirts, body: shirt }).then(() => '', String);
    return text.includes('denied the request: hook');
  });
  await client.json({
    method: 'DELETE',
    path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/tunneled',
  });
  const { text } = await response('/metrics');
  expect(text).toMatch(
    /apiserver_egress_dialer_dial_duration_seconds_count\{protocol="grpc",transport="uds"\} [1-9]/,
  );
});

describe('an app that is down', () => {
  it('is unavailable by itself, and is still documented', async () => {
    await annex.kill('crd-registry');
    const { status, text } = await response(shirts);
    expect(status).toBe(503);
    expect(text).toMatch(
      /^error trying to reach service: dial tcp 127\.0\.0\.1:\d+: connect: connection refused\n$/,
    );
    expect((await response(definition)).status).toBe(503);
    expect((await response('/api/v1/namespaces/default')).status).toBe(200);
    expect((await response('/apis/rbac.authorization.k8s.io/v1/clusterroles/admin')).status).toBe(200);
    expect((await response('/apis')).text).toContain('stable.example.com');
    expect((await response('/apis/stable.example.com')).status).toBe(200);
    await annex.restart('SIGTERM', 'crd-registry');
    expect((await response(shirts)).status).toBe(200);
  });

  it('keeps its local APIServices while its discovery is unknown', async () => {
    await annex.kill('crd-registry');
    await annex.kill('front-proxy');
    const restarted = annex.restart('SIGTERM', 'front-proxy');
    await until('the front proxy waits', async () =>
      annex.lines().some((line) => /front-proxy .*failed to read the discovery documents/.test(line)),
    );
    await annex.restart('SIGTERM', 'crd-registry');
    await restarted;
    const path = '/apis/apiregistration.k8s.io/v1/apiservices/v1.stable.example.com';
    const { metadata } = await client.json<{ metadata: { resourceVersion: string; generation?: number } }>({
      path,
    });
    expect(metadata).not.toHaveProperty('deletionTimestamp');
    expect(Number(metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('gets its data back from the store when all of them restart one after the other', async () => {
    await client.json({ method: 'POST', path: shirts, body: { ...object, metadata: { name: 'first' } } });
    for (const name of ['object-storage', 'core-api', 'crd-registry', 'authorization', 'discovery']) {
      await annex.restart('SIGTERM', name);
    }
    await until('the shirt is there', async () => (await response(`${shirts}/first`)).status === 200);
    await until('the kind is documented', async () =>
      (await response('/openapi/v3')).text.includes('apis/stable.example.com/v1'),
    );
  });
});

const object = { apiVersion: 'stable.example.com/v1', kind: 'Shirt' };

describe('requests between the processes', () => {
  /** Returns the URL of an app, from its ready line. */
  const urlOf = (app: string): string =>
    annex
      .lines()
      .map((line) => /^(\S+) \| .* is ready in .*: (https:\S+)$/.exec(line))
      .filter((found) => found?.[1] === app)
      .at(-1)?.[2] ?? '';

  const ask = (url: string, options: object = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(url, { rejectUnauthorized: false, ...options }, (message) => {
        message.resume();
        resolve(message.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });
  const masters = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
  const paths = ['/internal/discovery', '/internal/openapi?path=api/v1', '/api/v1/secrets'];

  it.each(paths)('%s rejects clients without the certificate of the front proxy', async (path) => {
    const url = urlOf('core-api') + path;
    const user = loadTestCA(annex.pki).issue({ commonName: 'admin', organizations: ['system:masters'] });
    const credentials = { cert: user.certificate, key: user.key };
    expect(await ask(url)).toBe(403);
    expect(await ask(url, { headers: masters })).toBe(403);
    expect(await ask(url, credentials)).toBe(401);
    expect(await ask(url, { ...credentials, headers: masters })).toBe(401);
  });

  it.each(paths)('%s rejects another name of the same CA', async (path) => {
    const proxy = loadTestCA(annex.pki, 'front-proxy-ca').issue({ commonName: 'someone-else' });
    const credentials = { cert: proxy.certificate, key: proxy.key };
    expect(await ask(urlOf('core-api') + path, { ...credentials, headers: masters })).toBe(401);
  });

  it('is not requested through the front proxy', async () => {
    expect((await response('/internal/openapi?path=api/v1')).status).toBe(404);
  });
});
