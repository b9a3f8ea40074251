import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import {
  apiServiceManifest,
  type ConnectServer,
  createTestCA,
  startConnectServer,
  type TempFolder,
  tempFolder,
  validatingWebhookManifest,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { annexCommand, annexNode } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { runCommand } from './command.ts';
import {
  hidden,
  type HiddenBackend,
  hiddenPath,
  hiddenToken,
  hiddenUser,
  startHiddenBackend,
} from './konnectivity/hidden-backend.ts';
import { patienceMs } from './patience.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/

const path = hiddenPath;

/** A kubeconfig of a webhook at a host that only the proxy resolves. */
const webhook = (url: string, caBundle: string): string =>
  JSON.stringify({
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server: url, 'certificate-authority-data': caBundle } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: {} }],
  });

describe('the egress selector', () => {
  const ca = createTestCA('hidden-ca');
  const caBundle = Buffer.from(ca.certificate).toString('base64');
  let folder: TempFolder;
  let backend: HiddenBackend;
  let cluster: ConnectServer;
  let controlPlane: ConnectServer;
  let annex: Runner;
  let client: Client;
  let response = 'HTTP/1.1 200 Connection Established\r\n\r\n';
  const socket = () => join(folder.path, 'cluster');
  beforeAll(async () => {
    folder = tempFolder('annex-egress-');
    backend = await startHiddenBackend(ca);
    const respond = () => ({ response, joins: response.includes(' 200 ') });
    cluster = await startConnectServer(backend.port, { path: socket(), respond });
    const { certificate, key } = ca.issue({ commonName: 'proxy', ipAddresses: ['127.0.0.1'] });
    const own = ca.issue({ commonName: 'kube-apiserver' });
    for (const [name, pem] of Object.entries({ ca: ca.certificate, cert: own.certificate, key: own.key }))
      writeFileSync(join(folder.path, name), pem);
    const tls = { cert: certificate, key, ca: ca.certificate, requestCert: true };
    controlPlane = await startConnectServer(backend.port, { tls });
    const file = join(folder.path, 'egress.yaml');
    writeFileSync(
      file,
      `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
- name: cluster
  connection: { proxyProtocol: HTTPConnect, transport: { uds: { udsName: ${socket()} } } }
- name: controlplane
  connection:
    proxyProtocol: HTTPConnect
    transport:
      tcp:
        url: https://127.0.0.1:${controlPlane.port}
        tlsConfig: { caBundle: ${folder.path}/ca, clientCert: ${folder.path}/cert, clientKey: ${folder.path}/key }
- name: etcd
  connection: { proxyProtocol: Direct }
`,
    );
    const hook = (name: string, port: number): string => {
      const kubeconfig = join(folder.path, `${name}.kubeconfig`);
      writeFileSync(kubeconfig, webhook(`https://${hidden}:${port}/`, caBundle));
      return kubeconfig;
    };
    const policy = join(folder.path, 'policy');
    writeFileSync(policy, '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}');
    annex = await startAnnex({
      ephemeral: true,
      // Processes behind the front proxy read these too.
      env: {
        ANNEX_EGRESS_SELECTOR_CONFIG_FILE: file,
        ANNEX_AUTHORIZATION_MODE: 'RBAC,Webhook',
        ANNEX_AUTHORIZATION_WEBHOOK_CONFIG_FILE: hook('access', 9002),
      },
      args: [
        `--authentication-token-webhook-config-file=${hook('token', 9001)}`,
        `--audit-webhook-config-file=${hook('audit', 9003)}`,
        '--audit-webhook-batch-max-wait=100ms',
        `--audit-policy-file=${policy}`,
      ],
    });
    client = new Client(await loadKubeconfig(annex.kubeconfig));
    await create('/api/v1/namespaces/default/services', {
      metadata: { name: 'hidden' },
      spec: { type: 'ExternalName', externalName: hidden },
    });
  });
  afterAll(async () => {
    client?.close();
    await annex?.stop();
    await cluster?.[Symbol.asyncDispose]();
    await controlPlane?.[Symbol.asyncDispose]();
    backend?.[Symbol.dispose]();
    folder?.[Symbol.dispose]();
  });

  const create = (at: string, body: object) => client.json({ method: 'POST', path: at, body });
  const destinations = (proxy: ConnectServer) =>
    new Set(proxy.heads.map((head) => /^CONNECT (\S+)/.exec(head)?.[1]));
  const hook = (name: string, clientConfig: object) =>
    create(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      validatingWebhookManifest(name, clientConfig),
    );
  const refusal = async (): Promise<string> => {
    const at = '/api/v1/namespaces/default/configmaps?dryRun=All';
    return await create(at, { metadata: { name: 'a' } }).then(() => 'created', String);
  };

  it('KON-008 KON-009 reaches an APIService through the proxy of the cluster', async () => {
    await create(
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiServiceManifest({
        group: 'hidden.example.com',
        service: 'hidden',
        port: 7443,
        ca: ca.certificate,
      }),
    );
    const seen = await vi.waitUntil(
      async () => {
        const found = await client.send({ path: `${path}/things` });
        return found.status === 200 && found.body.toString();
      },
      { timeout: patienceMs },
    );
    expect(seen).toBe('{"kind":"Seen","apiVersion":"v1"}');
    expect(destinations(cluster)).toEqual(new Set([`${hidden}:7443`]));
    expect(destinations(controlPlane)).not.toContain(`${hidden}:7443`);
  });

  it('reaches webhooks of a service by the cluster, and webhooks of a URL by the control plane', async () => {
    await hook('by-service', { service: { namespace: 'default', name: 'hidden', port: 8443 }, caBundle });
    await vi.waitFor(async () => expect(await refusal()).toContain('admission webhook'), {
      timeout: patienceMs,
    });
    expect(await refusal()).toContain('admission webhook "by-service.example.com" denied the request: hook');
    expect(destinations(cluster)).toContain(`${hidden}:8443`);
    const at = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    await client.json({ method: 'DELETE', path: `${at}/by-service` });
    await hook('by-url', { url: `https://${hidden}:9443/`, caBundle });
    await vi.waitFor(async () => expect(await refusal()).toContain('by-url'), { timeout: patienceMs });
    expect(destinations(controlPlane)).toContain(`${hidden}:9443`);
    expect(destinations(cluster)).not.toContain(`${hidden}:9443`);
    await client.json({ method: 'DELETE', path: `${at}/by-url` });
  });

  it('reaches the webhooks of tokens, of authorization and of audit by the control plane', async () => {
    const { server, ca: serving } = await loadKubeconfig(annex.kubeconfig);
    const withToken = new Client({ server, ...(serving ? { ca: serving } : {}), token: hiddenToken });
    const { body, status } = await withToken.send({ path: '/api/v1/namespaces/default/configmaps' });
    withToken.close();
    expect([status, body.toString()]).toEqual([200, expect.stringContaining('ConfigMapList')]);
    await vi.waitFor(() => expect(backend.audited).toContain(hiddenUser), { timeout: patienceMs });
    for (const port of [9001, 9002, 9003]) {
      expect(destinations(controlPlane)).toContain(`${hidden}:${port}`);
      expect(destinations(cluster)).not.toContain(`${hidden}:${port}`);
    }
  });

  it('reaches the conversion webhook of a service by the cluster', async () => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const service = { namespace: 'default', name: 'hidden', port: 6443 };
    const group = 'converted.example.com';
    await create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `toys.${group}` },
      spec: {
        group,
        names: { plural: 'toys', kind: 'Toy' },
        scope: 'Cluster',
        versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { service, caBundle }, conversionReviewVersions: ['v1'] },
        },
      },
    });
    const toy = { apiVersion: `${group}/v1`, kind: 'Toy', metadata: { name: 'a' } };
    await vi.waitFor(() => create(`/apis/${group}/v1/toys`, toy), { timeout: patienceMs });
    const found = await client.json({ path: `/apis/${group}/v2/toys/a` });
    expect(found).toMatchObject({ apiVersion: `${group}/v2` });
    expect(destinations(cluster)).toContain(`${hidden}:6443`);
    expect(destinations(controlPlane)).not.toContain(`${hidden}:6443`);
  });

  it('reports the reason of the proxy, in the response, the condition and the trace', async () => {
    response = 'HTTP/1.1 500 Internal Server Error\r\n\r\ncurrently no tunnels available: No agent available';
    const reason = `proxy error from ${socket()} while dialing ${hidden}:7443, code 500: 500 Internal Server Error: currently no tunnels available: No agent available`;
    for (const one of cluster.connections()) one.destroy();
    const failed = await vi.waitUntil(
      async () => {
        const { body, status } = await client.send({ path: `${path}/things` });
        return status === 503 && body.toString();
      },
      { timeout: patienceMs },
    );
    expect(failed).toContain(reason);
    const env = { ...process.env, KUBECONFIG: annex.kubeconfig };
    const annexDo = async (...args: string[]) =>
      (await runCommand(annexNode, [annexCommand, ...args], { env, timeout: patienceMs })).text;
    const trace = await annexDo('trace', '--refused', '--last');
    expect(trace).toContain(`through the egress proxy: HTTPConnect over ${socket()}`);
    expect(trace).toContain(reason);
    await vi.waitFor(
      async () => expect(await annexDo('check', 'apiservice', 'v1.hidden.example.com')).toContain(reason),
      { timeout: patienceMs },
    );
    const metrics = (await client.send({ path: '/metrics' })).body.toString();
    expect(metrics).toMatch(
      /apiserver_egress_dialer_dial_failure_count\{protocol="http_connect",stage="proxy",transport="uds"\} [1-9]/,
    );
  });
});

it('KON-003 KON-006 a configuration that kube-apiserver refuses ends the start with its text', async () => {
  using folder = tempFolder('annex-egress-');
  const file = join(folder.path, 'egress.yaml');
  writeFileSync(
    file,
    'apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n- name: foo\n  connection: { proxyProtocol: HTTPConnect, transport: { tcp: { url: "https://127.0.0.1:1" } } }\n',
  );
  const args = [
    annexCommand,
    'up',
    '--data-dir',
    folder.path,
    '--port=0',
    '--egress-selector-config-file',
    file,
  ];
  const { code, text } = await runCommand(annexNode, args, { env: process.env, timeout: patienceMs });
  expect(code).toBe(1);
  expect(text).toContain(
    'failed to validate egress selector configuration: [service.connection.tlsConfig: Required value: TLSConfig must be present when using HTTPS, service.connection: Unsupported value: "foo": supported values: "cluster", "controlplane", "etcd"]',
  );
});
