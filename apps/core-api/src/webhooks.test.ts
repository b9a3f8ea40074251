import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type JsonObject, type KubeObject, parseJson } from '@annex/machinery';
import { type Authority, createAuthority } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ServedCoreApi, serveCoreApi } from './served.fixture.ts';

/** What a webhook is sent, and what it answers: a response without its uid, a code, or the text of a body. */
type Sent = JsonObject & { uid: string; name?: string; object: KubeObject | null };
type Reply = JsonObject | number | string;

let ca: Authority;
let hooks: Server;
let url: string;
const sent = new Map<string, Sent[]>();
const replies = new Map<string, (request: Sent) => Reply | Promise<Reply>>();
let server: ServedCoreApi;

beforeAll(async () => {
  ca = createAuthority('hooks');
  const { certificate: cert, key } = ca.issue({ commonName: 'localhost', ipAddresses: ['127.0.0.1'] });
  hooks = createServer({ cert, key }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const review = parseJson(Buffer.concat(chunks).toString()) as JsonObject;
    const request = review.request as Sent;
    const path = (req.url ?? '').split('?')[0] ?? '';
    sent.set(path, [...(sent.get(path) ?? []), request]);
    const reply = (await replies.get(path)?.(request)) ?? { allowed: true };
    if (typeof reply === 'number') res.writeHead(reply);
    const response = { ...review, response: { uid: request.uid, ...(reply as JsonObject) } };
    res.end(typeof reply === 'object' ? JSON.stringify(response) : String(reply));
  });
  hooks.listen(0, '127.0.0.1');
  await new Promise((resolve) => hooks.once('listening', resolve));
  url = `https://127.0.0.1:${(hooks.address() as AddressInfo).port}`;
  server = await serveCoreApi();
  for (const [name, labels] of [
    ['ns', {}],
    ['labelled', { team: 'a' }],
  ] as const) {
    await server.request('POST', '/api/v1/namespaces', {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name, labels },
    });
  }
});

afterAll(async () => {
  await server.stop();
  hooks.close();
});

const configurations = '/apis/admissionregistration.k8s.io/v1';
const installed: string[] = [];

afterEach(async () => {
  for (const path of installed.splice(0)) await server.request('DELETE', path);
  sent.clear();
  replies.clear();
});

interface Hook {
  [field: string]: unknown;
  name: string;
}

async function install(kind: 'Mutating' | 'Validating', ...webhooks: Hook[]): Promise<void> {
  const path = `${configurations}/${kind.toLowerCase()}webhookconfigurations`;
  const filled = webhooks.map(({ name, ...rest }) => ({
    name: `${name}.example.com`,
    clientConfig: { url: `${url}/${name}`, caBundle: Buffer.from(ca.certificate).toString('base64') },
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...rest,
  }));
  const response = await server.request('POST', path, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'test' },
    webhooks: filled,
  });
  expect(response.message).toBe('');
  installed.push(`${path}/test`);
}

const patch = (...operations: JsonObject[]): JsonObject => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const setData = (key: string, value: string) => patch({ op: 'add', path: `/data/${key}`, value });

let count = 0;
const configMap = (rest: JsonObject = {}, metadata: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `c-${++count}`, ...metadata },
  data: { x: 'y' },
  ...rest,
});
const create = (query = '', object: object = configMap(), namespace = 'ns') =>
  server.request('POST', `/api/v1/namespaces/${namespace}/configmaps${query}`, object);

describe('mutating webhooks', () => {
  it('see what those before them made of the object', async () => {
    await install('Mutating', { name: 'first' }, { name: 'second' });
    replies.set('/first', () => setData('a', '1'));
    replies.set('/second', ({ object }) => setData('b', String((object?.data as JsonObject).a)));
    expect((await create()).body.data).toEqual({ a: '1', b: '1', x: 'y' });
  });

  it('are asked again where they want it and others changed the object after them', async () => {
    await install('Mutating', { name: 'again', reinvocationPolicy: 'IfNeeded' }, { name: 'later' });
    replies.set('/later', () => setData('late', 'x'));
    await create();
    expect(sent.get('/again')?.map(({ object }) => object?.data)).toEqual([
      { x: 'y' },
      { late: 'x', x: 'y' },
    ]);
    expect(sent.get('/later')).toHaveLength(1);
  });

  it('are asked once where nobody changed the object after them', async () => {
    await install('Mutating', { name: 'only', reinvocationPolicy: 'IfNeeded' });
    replies.set('/only', () => setData('a', '1'));
    await create();
    expect(sent.get('/only')).toHaveLength(1);
  });

  it('cannot add fields that the kind does not have, and get its defaults', async () => {
    await install('Mutating', {
      name: 'ports',
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['services'] }],
    });
    replies.set('/ports', () =>
      patch(
        { op: 'add', path: '/spec/unknown', value: 1 },
        { op: 'add', path: '/spec/ports/-', value: { name: 'b', port: 81 } },
      ),
    );
    const { body } = await server.request('POST', '/api/v1/namespaces/ns/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ name: 'a', port: 80 }] },
    });
    expect(body.spec).not.toHaveProperty('unknown');
    expect((body.spec as { ports: unknown[] }).ports[1]).toEqual({
      name: 'b',
      protocol: 'TCP',
      port: 81,
      targetPort: 81,
    });
  });

  it.each([
    ['a patch that does not apply', patch({ op: 'remove', path: '/data/none' }), /Internal error occurred: /],
    [
      'a patch of a wrong type',
      patch({ op: 'add', path: '/data', value: 'text' }),
      /Internal error occurred: /,
    ],
    [
      'a patch without its type',
      { allowed: true, patch: 'W10=' },
      /received invalid webhook response: webhook returned response.patch but not response.patchType$/,
    ],
  ])('fail with %s', async (_, reply, message) => {
    await install('Mutating', { name: 'bad' });
    replies.set('/bad', () => reply);
    const response = await create();
    expect(response.code).toBe(500);
    expect(response.message).toMatch(message);
  });
});

describe('validating webhooks', () => {
  const refusals: [string, JsonObject, number, string][] = [
    ['nothing', {}, 400, 'denied the request without explanation'],
    ['a message', { status: { message: 'no' } }, 400, 'denied the request: no'],
    ['a reason alone', { status: { reason: 'Gone', code: 410 } }, 410, 'denied the request: Gone'],
    ['a code below 400', { status: { code: 200, message: 'no' } }, 400, 'denied the request: no'],
  ];
  it.each(refusals)('refuse with %s', async (_, reply, code, text) => {
    await install('Validating', { name: 'deny' });
    replies.set('/deny', () => ({ allowed: false, ...reply }));
    const response = await create();
    expect(response).toMatchObject({ code, message: `admission webhook "deny.example.com" ${text}` });
  });

  it('send warnings to the client', async () => {
    await install('Validating', { name: 'warn' });
    replies.set('/warn', () => ({ allowed: true, warnings: ['careful'] }));
    expect((await create()).warnings).toEqual(['299 - "careful"']);
  });

  it('may not patch', async () => {
    await install('Validating', { name: 'patch' });
    replies.set('/patch', () => setData('a', '1'));
    expect((await create()).message).toBe(
      'Internal error occurred: failed calling webhook "patch.example.com": received invalid webhook response: ' +
        'validating webhook may not return response.patch',
    );
  });

  it('see a removal with the object that goes', async () => {
    await install('Validating', { name: 'gone' });
    const { body } = await create();
    const path = `/api/v1/namespaces/ns/configmaps/${body.metadata.name}`;
    await server.request('DELETE', path, { propagationPolicy: 'Background' });
    expect(sent.get('/gone')?.at(-1)).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { metadata: { uid: body.metadata.uid } },
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' },
    });
  });

  it('see the name that the server gave', async () => {
    await install('Validating', { name: 'named' });
    await create('', configMap({}, { name: '', generateName: 'g-' }));
    expect(sent.get('/named')?.[0]?.name).toMatch(/^g-/);
  });
});

describe('a webhook that fails', () => {
  const failures: [string, () => Reply | Promise<Reply>, RegExp][] = [
    [
      'with a code',
      () => 503,
      /failed to call webhook: the server is currently unable to handle the request$/,
    ],
    ['with text', () => 'x', /failed to call webhook: couldn't get version\/kind; json parse error: /],
    [
      'with another uid',
      () => ({ uid: 'other', allowed: true }),
      /received invalid webhook response: expected response.uid="[^"]*", got "other"$/,
    ],
    [
      'by taking too long',
      () => new Promise<Reply>((resolve) => setTimeout(resolve, 1500, { allowed: true })),
      /failed to call webhook: Post "https:\/\/127.0.0.1:\d+\/fails\?timeout=1s": context deadline exceeded$/,
    ],
  ];
  it.each(failures)(
    '%s refuses by default, and is passed over with failurePolicy Ignore',
    async (_, reply, why) => {
      replies.set('/fails', reply);
      await install('Validating', { name: 'fails', timeoutSeconds: 1 });
      const response = await create();
      expect(response.code).toBe(500);
      expect(response.message).toMatch(why);
      await server.request('DELETE', installed.splice(0)[0] ?? '');
      await install('Validating', { name: 'fails', timeoutSeconds: 1, failurePolicy: 'Ignore' });
      expect((await create()).code).toBe(201);
    },
  );
});

describe('which requests a webhook sees', () => {
  const seen = async (hook: Omit<Hook, 'name'>, query?: string, object?: object, namespace?: string) => {
    await install('Validating', { name: 'seen', ...hook });
    const response = await create(query, object, namespace);
    return { times: sent.get('/seen')?.length ?? 0, response: response };
  };

  it.each([
    ['the labels of its namespace', { namespaceSelector: { matchLabels: { team: 'a' } } }, 'labelled', {}, 1],
    ['other labels of its namespace', { namespaceSelector: { matchLabels: { team: 'a' } } }, 'ns', {}, 0],
    [
      'the labels of the object',
      { objectSelector: { matchLabels: { a: 'b' } } },
      'ns',
      { labels: { a: 'b' } },
      1,
    ],
    ['other labels of the object', { objectSelector: { matchLabels: { a: 'b' } } }, 'ns', {}, 0],
    [
      'a scope that is not its own',
      {
        rules: [
          { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: 'Cluster' },
        ],
      },
      'ns',
      {},
      0,
    ],
    [
      'rules of subresources',
      { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['configmaps/*'] }] },
      'ns',
      {},
      1,
    ],
    [
      'another operation',
      { rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['*'] }] },
      'ns',
      {},
      0,
    ],
  ])('by %s', async (_, hook, namespace, metadata, times) => {
    expect((await seen(hook, '', configMap({}, metadata), namespace)).times).toBe(times);
  });

  const autoscaler = (version: string) =>
    server.request('POST', `/apis/autoscaling/${version}/namespaces/ns/horizontalpodautoscalers?dryRun=All`, {
      apiVersion: `autoscaling/${version}`,
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } },
    });
  const rules = [
    {
      operations: ['*'],
      apiGroups: ['autoscaling'],
      apiVersions: ['v2'],
      resources: ['horizontalpodautoscalers'],
    },
  ];

  it('in the version of its rules, where another one is written', async () => {
    await install('Validating', { name: 'versions', rules });
    expect((await autoscaler('v1')).message).toBe('');
    expect(sent.get('/versions')?.[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
      requestKind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      object: { apiVersion: 'autoscaling/v2' },
    });
  });

  it('of that version alone, with matchPolicy Exact', async () => {
    await install('Validating', { name: 'exact', rules, matchPolicy: 'Exact' });
    await autoscaler('v1');
    expect(sent.get('/exact')).toBeUndefined();
  });

  it('never those of what configures admission', async () => {
    const all = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
    await install('Validating', { name: 'all', rules: all });
    replies.set('/all', () => ({ allowed: false }));
    const path = `${configurations}/validatingwebhookconfigurations/test`;
    expect((await server.request('DELETE', path)).code).toBe(200);
  });

  it('those of a scale, as a Scale', async () => {
    await server.request('POST', '/apis/apps/v1/namespaces/ns/deployments', deployment);
    await install('Mutating', {
      name: 'scale',
      rules: [
        { operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] },
      ],
    });
    replies.set('/scale', () => patch({ op: 'replace', path: '/spec/replicas', value: 7 }));
    const path = '/apis/apps/v1/namespaces/ns/deployments/d/scale';
    const type = 'application/merge-patch+json';
    const { body } = await server.request('PATCH', path, { spec: { replicas: 2 } }, type);
    expect(body.spec).toEqual({ replicas: 7 });
    expect(sent.get('/scale')?.[0]).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      resource: { resource: 'deployments' },
      subResource: 'scale',
      object: { kind: 'Scale', spec: { replicas: 2 } },
    });
  });
});

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
