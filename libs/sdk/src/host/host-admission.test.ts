import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { issueClientCertificate } from '@annex/auth';
import { Client } from '@annex/client';
import type { JsonObject, KubeObject, StatusError } from '@annex/machinery';
import { createMetrics, nullLogger, parseOptions } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../api-server.fixture.ts';
import { defineResource } from '../define-resource.ts';
import { createExtensionServer, type ExtensionServer } from '../extension-server.ts';
import { extensionConflicts, extensionOptions } from '../options.ts';
import { ExtendedServer } from './extended-server.ts';
import { hostAdmission } from './host-admission.ts';

const boxes = defineResource({
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
  },
});
const folder = tempFolder('annex-sdk-host-');
const group = 'test.example.com';
const registration = '/apis/admissionregistration.k8s.io/v1';
const box = (name: string, size = 1) => ({
  apiVersion: `${group}/v1`,
  kind: 'Box',
  metadata: { name },
  spec: { size },
});

let api: ApiServer;
let hooks: Server;
let caBundle: string;
let hookPort: number;
const sent: JsonObject[] = [];
const servers: ExtensionServer[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  api = await startApiServer();
  const ca = createTestCA('hooks');
  const { certificate: cert, key } = ca.issue({
    commonName: 'hook',
    dnsNames: ['hook.default.svc'],
    ipAddresses: ['127.0.0.1'],
  });
  caBundle = Buffer.from(ca.certificate).toString('base64');
  hooks = createServer({ cert, key }, async (req, res) => {
    let text = '';
    for await (const chunk of req as AsyncIterable<Buffer>) text += chunk.toString();
    const { request, ...review } = JSON.parse(text) as JsonObject & { request: JsonObject };
    sent.push(request);
    const patch = Buffer.from('[{"op":"add","path":"/metadata/labels","value":{"hooked":"yes"}}]').toString(
      'base64',
    );
    const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch, warnings: ['hooked'] };
    res.end(JSON.stringify({ ...review, response }));
  });
  await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve));
  hookPort = (hooks.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of servers.splice(0)) await server.stop();
  for (const collection of api.collections.keys()) {
    if (collection !== '/api/v1/namespaces') api.collections.delete(collection);
  }
  api.refused.clear();
  sent.length = 0;
});
afterAll(async () => {
  hooks.close();
  await api.stop();
  folder[Symbol.dispose]();
});

/** Starts a server. Resolves to a function that creates a box as administrator. */
async function start(options: Partial<Parameters<typeof createExtensionServer>[0]> = {}) {
  const server = await createExtensionServer({
    group,
    resources: [boxes],
    apiServer: api.config,
    certificate: { dir: folder.path, names: ['localhost'] },
    port: 0,
    ...options,
  });
  servers.push(server);
  const admin = new Client({
    server: server.url.replace('127.0.0.1', 'localhost'),
    ca: readFileSync(join(folder.path, 'ca.crt'), 'utf8'),
    ...(await issueClientCertificate(api.clientCa, { user: 'admin', groups: ['system:masters'] })),
  });
  clients.push(admin);
  return (object: unknown, namespace = 'default', query = '') =>
    admin
      .json<KubeObject>({
        method: 'POST',
        path: `/apis/${group}/v1/namespaces/${namespace}/boxes${query}`,
        body: object,
      })
      .catch((error: StatusError) => error);
}

const rules = [{ apiGroups: [group], apiVersions: ['*'], operations: ['*'], resources: ['boxes'] }];

function put(resource: string, object: JsonObject): void {
  api.put(`${registration}/${resource}`, { apiVersion: 'v1', kind: 'x', ...object } as unknown as KubeObject);
}
function putPolicy(spec: JsonObject, bindingSpec: JsonObject = {}): void {
  const metadata = { name: 'small' };
  const binding = { policyName: 'small', validationActions: ['Deny'], ...bindingSpec };
  put('validatingadmissionpolicies', {
    metadata,
    spec: { matchConstraints: { resourceRules: rules }, ...spec },
  });
  put('validatingadmissionpolicybindings', { metadata, spec: binding });
}
function putWebhook(clientConfig: JsonObject): void {
  const webhook = {
    name: 'hook.x.io',
    rules,
    clientConfig,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  put('mutatingwebhookconfigurations', { metadata: { name: 'hooks' }, webhooks: [webhook] });
}
const message = (response: KubeObject | StatusError) => ('message' in response ? response.message : '');
const denied = (why: string) =>
  `boxes.test.example.com "big" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'small' denied request: ${why}`;

describe('an extension server', () => {
  it('applies the policies of the API server, including those that are created later', async () => {
    const create = await start();
    expect(await create(box('first', 9))).toMatchObject({ metadata: { name: 'first' } });
    putPolicy({ validations: [{ expression: 'object.spec.size < 5', message: 'too big' }] });
    await expect
      .poll(async () => message(await create(box('big', 9), 'default', '?dryRun=All')))
      .toBe(denied('too big'));
    expect(await create(box('small', 4))).toMatchObject({ spec: { size: 4 } });
  });

  it('evaluates them with the parameters of the API server', async () => {
    const collection = '/api/v1/secrets';
    api.put(collection, {
      metadata: { name: 'limits', namespace: 'default' },
      data: { most: 'NQ==' },
    } as KubeObject);
    putPolicy(
      {
        paramKind: { apiVersion: 'v1', kind: 'Secret' },
        validations: [
          { expression: "params.data.most == 'NQ=='" },
          { expression: "params.kind == 'Pod'", message: 'm' },
        ],
      },
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } },
    );
    const create = await start();
    expect(message(await create(box('big')))).toBe(denied('m'));
  });

  it('refuses writes that depend on parameters without permission', async () => {
    api.refused.set('/api/v1/secrets', 'Forbidden');
    putPolicy(
      { paramKind: { apiVersion: 'v1', kind: 'Secret' }, validations: [{ expression: 'true' }] },
      { paramRef: { name: 'limits', parameterNotFoundAction: 'Allow' } },
    );
    const create = await start();
    expect(message(await create(box('big')))).toBe(
      denied(
        'failed to configure binding: paramKind kind `&ParamKind{APIVersion:v1,Kind:Secret,}` not yet synced to use for admission',
      ),
    );
  });

  it('refuses writes that depend on parameters of an unknown kind', async () => {
    putPolicy({ paramKind: { apiVersion: 'v1', kind: 'Whale' }, validations: [{ expression: 'true' }] });
    const create = await start();
    expect(message(await create(box('big')))).toContain(
      "failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Whale'",
    );
  });

  it('calls the webhooks of the API server', async () => {
    putWebhook({ url: `https://127.0.0.1:${hookPort}/hook`, caBundle });
    const create = await start();
    expect(await create(box('hooked'))).toMatchObject({ metadata: { labels: { hooked: 'yes' } } });
    expect(sent).toMatchObject([{ operation: 'CREATE', name: 'hooked', userInfo: { username: 'admin' } }]);
  });

  it('writes the results of webhooks to its audit log', async () => {
    const [policy, file] = ['policy.yaml', 'audit.log'].map((name) => join(folder.path, name)) as [
      string,
      string,
    ];
    writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    const flags = [`--audit-policy-file=${policy}`, `--audit-log-path=${file}`];
    const parsed = parseOptions(extensionOptions, flags, {}, extensionConflicts());
    if (parsed.kind !== 'config') throw new Error('these are options');
    putWebhook({ url: `https://127.0.0.1:${hookPort}/hook`, caBundle });
    const create = await start({ audit: parsed.config });
    await create(box('audited'));
    await expect
      .poll(() => readFileSync(file, 'utf8'))
      .toContain(
        '"mutation.webhook.admission.k8s.io/round_0_index_0":"{\\"configuration\\":\\"hooks\\",\\"webhook\\":\\"hook.x.io\\",\\"mutated\\":true}"',
      );
  });

  it('reaches a webhook by the endpoints of its service if its name does not resolve', async () => {
    putWebhook({ service: { namespace: 'default', name: 'hook', port: 443 }, caBundle });
    const metadata = { name: 'hook', namespace: 'default', labels: { 'kubernetes.io/service-name': 'hook' } };
    api.put('/api/v1/namespaces/default/services', {
      metadata,
      spec: { ports: [{ port: 443 }] },
    } as KubeObject);
    api.put('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata,
      addressType: 'IPv4',
      ports: [{ port: hookPort }],
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    } as KubeObject);
    const create = await start();
    expect(await create(box('served'))).toMatchObject({ metadata: { labels: { hooked: 'yes' } } });
  });

  it("reports an unknown service with Go's message", async () => {
    putWebhook({ service: { namespace: 'default', name: 'none', port: 443 }, caBundle });
    api.refused.set('/api/v1/namespaces/default/services/none', 'Forbidden');
    const create = await start();
    expect(message(await create(box('lost')))).toMatch(
      /failed calling webhook "hook\.x\.io": failed to call webhook: Post "https:\/\/none\.default\.svc:443\/\?timeout=10s": dial tcp: lookup none\.default\.svc/,
    );
  });

  it('creates nothing in a namespace that does not exist or is terminating', async () => {
    const leaving = { metadata: { name: 'leaving' }, status: { phase: 'Terminating' } };
    api.put('/api/v1/namespaces', leaving as unknown as KubeObject);
    const create = await start();
    expect(message(await create(box('a'), 'nowhere'))).toBe('namespaces "nowhere" not found');
    expect(message(await create(box('a'), 'leaving'))).toBe(
      'boxes.test.example.com "a" is forbidden: unable to create new content in namespace leaving because it is being terminated',
    );
    const unnamed = { ...box(''), metadata: { generateName: 'a-' } };
    expect(message(await create(unnamed, 'leaving'))).toMatch(
      /^boxes\.test\.example\.com "a-" is forbidden: /,
    );
  });

  it('omits disabled plugins', async () => {
    putPolicy({ validations: [{ expression: 'false' }] });
    const gate = { name: 'Gate', validate: () => Promise.reject(new Error('never called')) };
    const create = await start({
      admission: [gate],
      disableAdmissionPlugins: ['ValidatingAdmissionPolicy', 'NamespaceLifecycle', 'Gate'],
    });
    expect(await create(box('free'), 'nowhere')).toMatchObject({ metadata: { name: 'free' } });
  });

  it('works with an API server that does not serve all kinds of configurations', async () => {
    api.refused.set(`${registration}/mutatingadmissionpolicies`, 'NotFound');
    const create = await start();
    expect(await create(box('old'))).toMatchObject({ metadata: { name: 'old' } });
  });
});

describe('a request whose admission depends on unloaded configurations', () => {
  const request = (operation: string) =>
    ({
      operation,
      kind: { group, resource: 'boxes', namespaced: true },
      namespace: 'default',
      name: 'one',
      object: { metadata: { name: 'one' } },
    }) as never;

  it('is refused after a while, with one log line, and is served when they are loaded', async () => {
    api.refused.set(`${registration}/mutatingwebhookconfigurations`, 'Forbidden');
    const notified: string[] = [];
    const log = { ...nullLogger, warn: (text: string) => void notified.push(text) };
    const client = new Client(api.config);
    const host = new ExtendedServer(client, { log, metrics: createMetrics() });
    const config = { enableAdmissionPlugins: [], admissionControlConfigFile: undefined };
    const disableAdmissionPlugins = ['MutatingAdmissionPolicy', 'ValidatingAdmissionPolicy'];
    const plugins = await hostAdmission(host, never, { ...config, disableAdmissionPlugins }, 300);
    host.start();
    const [namespaces, webhooks] = plugins;
    await expect(webhooks?.mutate?.(request('CREATE'))).rejects.toThrow(
      'boxes.test.example.com "one" is forbidden: not yet ready to handle request',
    );
    await expect(Promise.resolve(namespaces?.mutate?.(request('CREATE')))).resolves.toBeUndefined();
    expect(host.isLoaded).toBe(false);
    expect(notified).toEqual([
      'cannot follow mutatingwebhookconfigurations of the API server; the user of the kubeconfig must get, list and watch them',
    ]);
    api.refused.clear();
    await expect.poll(() => host.isLoaded, { timeout: 10_000 }).toBe(true);
    expect(webhooks?.mutate?.(request('DELETE'))).toBeUndefined();
    await host.stop();
    client.close();
  });
});

const never = { authorize: () => ({ decision: 'noOpinion', reason: '' }) } as never;
