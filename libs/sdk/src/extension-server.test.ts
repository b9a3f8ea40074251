import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueClientCertificate } from '@annex/auth';
import { Client } from '@annex/client';
import { isReason, type KubeObject, type StatusError } from '@annex/machinery';
import { createMemoryStore } from '@annex/storage';
import { freePort, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiServer, startApiServer } from './api-server.fixture.ts';
import { boxes, oldBoxes, shelves, spec } from './boxes.fixture.ts';
import { defineResource } from './define-resource.ts';
import { createExtensionServer, type ExtensionServer } from './extension-server.ts';

const schema = { type: 'object', properties: {} } as const;
const folder = tempFolder('annex-sdk-');
const ca = () => readFileSync(join(folder.path, 'ca.crt'), 'utf8');
const path = '/apis/test.example.com/v1/namespaces/default/boxes';
const box = (name: string, size = 1) => ({
  apiVersion: 'test.example.com/v1',
  kind: 'Box',
  metadata: { name },
  spec: { size },
});

let api: ApiServer;
let server: ExtensionServer;
let admin: Client;
const clients: Client[] = [];

const start = (options: Partial<Parameters<typeof createExtensionServer>[0]> = {}) =>
  createExtensionServer({
    group: 'test.example.com',
    resources: [boxes, oldBoxes, shelves],
    apiServer: api.config,
    certificate: { dir: folder.path, names: ['localhost'] },
    port: 0,
    refusedTtl: 0,
    ...options,
  });
const client = (identity: { token?: string; cert?: string; key?: string } = {}): Client => {
  const made = new Client({
    server: server.url.replace('127.0.0.1', 'localhost'),
    ca: ca(),
    ...identity,
  });
  clients.push(made);
  return made;
};
const refusal = (requested: Promise<unknown>): Promise<StatusError> =>
  requested.then(
    () => Promise.reject(new Error('it was allowed')),
    (error: StatusError) => error,
  );

beforeAll(async () => {
  api = await startApiServer();
  server = await start();
  admin = client(await issueClientCertificate(api.clientCa, { user: 'admin', groups: ['system:masters'] }));
});
afterAll(async () => {
  clients.forEach((made) => made.close());
  await server.stop();
  await api.stop();
  folder[Symbol.dispose]();
});

describe('users', () => {
  it('are authenticated by tokens that the API server reviews', async () => {
    api.tokens.set('good', 'tess').set('better', 'theo');
    api.allowed.add('theo list');
    expect((await refusal(client({ token: 'good' }).json({ path }))).message).toContain(
      'User "tess" cannot list',
    );
    expect(await client({ token: 'better' }).json({ path })).toMatchObject({ kind: 'BoxList' });
    expect(await refusal(client({ token: 'bad' }).json({ path }))).toMatchObject({ code: 401 });
  });

  it('are authorized by the API server unchanged, and decisions are cached', async () => {
    const user = client(await issueClientCertificate(api.clientCa, { user: 'ann', groups: ['a', 'b'] }));
    api.allowed.add('ann list');
    api.reviews.length = 0;
    await user.json({ path });
    await user.json({ path });
    expect(api.reviews).toEqual([
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: 'ann',
          groups: ['a', 'b', 'system:authenticated'],
          extra: expect.any(Object) as unknown,
          resourceAttributes: {
            group: 'test.example.com',
            version: 'v1',
            resource: 'boxes',
            namespace: 'default',
            verb: 'list',
          },
        },
      },
    ]);
  });

  it('AGG-021 are authenticated by the proxies in the current ConfigMap', async () => {
    api.allowed.add('paul list');
    const proxy = client(await issueClientCertificate(api.proxyCa, { user: 'proxy' }));
    const ask = (header: string) => proxy.json({ path, headers: { [header]: 'paul' } });
    expect(await ask('X-Remote-User')).toMatchObject({ kind: 'BoxList' });
    api.publish({
      'client-ca-file': api.clientCa.cert,
      'requestheader-client-ca-file': api.proxyCa.cert,
      'requestheader-username-headers': '["X-Other-User"]',
    });
    await vi.waitFor(async () => expect(await ask('X-Other-User')).toMatchObject({ kind: 'BoxList' }), {
      timeout: 20_000,
    });
    expect(await refusal(ask('X-Remote-User'))).toMatchObject({ code: 401 });
  });

  it('stay authenticated if the ConfigMap cannot be read any more', async () => {
    api.publish({ 'requestheader-client-ca-file': 'nonsense' });
    api.publish({ 'client-ca-file': api.clientCa.cert });
    expect(await admin.json({ path })).toMatchObject({ kind: 'BoxList' });
  });
});

describe('objects', () => {
  it('are validated, stored, patched and watched', async () => {
    expect((await refusal(admin.json({ method: 'POST', path, body: box('bad', 0) }))).message).toContain(
      'spec.size: Invalid value: 0',
    );
    const made = await admin.json<KubeObject>({ method: 'POST', path, body: box('one') });
    const { resourceVersion = '' } = made.metadata;
    await admin.json({
      method: 'PATCH',
      path: `${path}/one/status`,
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { size: 7 }, status: { full: true } },
    });
    for await (const { type, object } of admin.watch<KubeObject>(path, { resourceVersion })) {
      expect({ type, spec: object.spec, status: object.status }).toEqual({
        type: 'MODIFIED',
        spec: { size: 1 },
        status: { full: true },
      });
      break;
    }
  });

  it('are not decoded from protobuf', async () => {
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    expect(await admin.send({ method: 'POST', path, headers, body: Buffer.from('k8s\0') })).toMatchObject({
      status: 400,
    });
  });

  it('are read and written in every version', async () => {
    const old = path.replace('/v1/', '/v1alpha1/');
    await admin.json({
      method: 'POST',
      path: old,
      body: { apiVersion: 'test.example.com/v1alpha1', kind: 'Box', metadata: { name: 'old' }, size: 3 },
    });
    expect(await admin.json({ path: `${path}/old` })).toMatchObject({
      apiVersion: 'test.example.com/v1',
      spec: { size: 3 },
    });
    const list = await admin.json<{ items: KubeObject[] }>({ path: old });
    // As in Go, the items of a list omit their type.
    expect(list.items.map(({ apiVersion, size }) => ({ apiVersion, size }))).toEqual([
      { apiVersion: undefined, size: 3 },
      { apiVersion: undefined, size: 1 },
    ]);
  });

  it('need an existing namespace', async () => {
    const nowhere = path.replace('default', 'nowhere');
    const body = { ...box('lost'), metadata: { name: 'lost' } };
    const error = await refusal(admin.json({ method: 'POST', path: nowhere, body }));
    expect(isReason(error, 'NotFound') && error.message).toBe('namespaces "nowhere" not found');
  });
});

describe('documents', () => {
  const groupVersions = [
    { groupVersion: 'test.example.com/v1', version: 'v1' },
    { groupVersion: 'test.example.com/v1alpha1', version: 'v1alpha1' },
  ];
  const group = { name: 'test.example.com', versions: groupVersions, preferredVersion: groupVersions[0] };

  it('/apis and /apis/<group> list the served resources', async () => {
    expect(await admin.json({ path: '/apis' })).toEqual({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: [group],
    });
    expect(await admin.json({ path: '/apis/test.example.com' })).toEqual({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...group,
    });
    expect(await admin.send({ path: '/apis/other.example.com' })).toMatchObject({ status: 404 });
    const yaml = { accept: 'application/yaml' };
    const inYaml = await admin.send({ path: '/apis/test.example.com', headers: yaml });
    expect(inYaml.body.toString()).toContain('kind: APIGroup\nname: test.example.com\n');
    const unknown = await admin.send({ path: '/apis/test.example.com/v9' });
    expect([unknown.status, JSON.parse(unknown.body.toString())]).toEqual([
      404,
      expect.objectContaining({ message: 'the server could not find the requested resource' }),
    ]);
    for (const document of ['/apis', '/apis/test.example.com', '/apis/test.example.com/v1']) {
      expect(await admin.send({ method: 'POST', path: document, body: {} })).toMatchObject({ status: 405 });
    }
  });

  it('/apis in the aggregated form has everything in one document, and an ETag', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { headers, body } = await admin.send({ path: '/apis', headers: { accept } });
    expect(headers['content-type']).toBe(accept);
    expect(JSON.parse(body.toString())).toMatchObject({
      items: [
        {
          metadata: { name: 'test.example.com' },
          versions: [
            {
              version: 'v1',
              resources: [
                { resource: 'boxes', scope: 'Namespaced' },
                { resource: 'shelves', scope: 'Cluster' },
              ],
            },
            { version: 'v1alpha1', resources: [{ resource: 'boxes' }] },
          ],
        },
      ],
    });
    const again = { accept, 'if-none-match': headers.etag ?? '' };
    expect(await admin.send({ path: '/apis', headers: again })).toMatchObject({ status: 304 });
  });

  it('/openapi/v3 leads to the schemas', async () => {
    const index = await admin.json<{ paths: Record<string, { serverRelativeURL: string }> }>({
      path: '/openapi/v3',
    });
    expect(Object.keys(index.paths)).toEqual(['apis/test.example.com/v1', 'apis/test.example.com/v1alpha1']);
    const url = index.paths['apis/test.example.com/v1']?.serverRelativeURL ?? '';
    expect(await admin.json({ path: url })).toMatchObject({
      paths: { '/apis/test.example.com/v1/namespaces/{namespace}/boxes/{name}/status': {} },
      components: { schemas: { 'com.example.test.v1.Box': { properties: { spec } } } },
    });
  });
});

describe('the document of OpenAPI version 2', () => {
  it('has the same operations and schemas', async () => {
    const document = await admin.json<{ paths: object; definitions: object }>({ path: '/openapi/v2' });
    expect(document).toMatchObject({
      swagger: '2.0',
      paths: { '/apis/test.example.com/v1/namespaces/{namespace}/boxes/{name}/status': {} },
      definitions: { 'com.example.test.v1.Box': { properties: { spec } } },
    });
  });
});

describe('a server', () => {
  it('ends open watches when it stops', async () => {
    const short = await start();
    const other = new Client({
      server: short.url.replace('127.0.0.1', 'localhost'),
      ca: ca(),
      token: 'good',
    });
    api.allowed.add('tess watch');
    const ended = other.watch(path).next();
    await vi.waitFor(() => expect(api.reviews.at(-1)?.spec.resourceAttributes?.verb).toBe('watch'), {
      timeout: 20_000,
    });
    expect(await short.stop()).toEqual([]);
    expect(await ended).toEqual({ done: true, value: undefined });
    other.close();
  });

  it('keeps its objects in a folder', async () => {
    const storage = { dir: join(folder.path, 'objects') };
    const cert = await issueClientCertificate(api.clientCa, { user: 'admin', groups: ['system:masters'] });
    for (const round of ['first', 'second']) {
      const running = await start({ storage });
      const user = new Client({
        server: running.url.replace('127.0.0.1', 'localhost'),
        ca: ca(),
        ...cert,
      });
      if (round === 'first') await user.json({ method: 'POST', path, body: box('kept') });
      else expect(await user.json({ path: `${path}/kept` })).toMatchObject({ spec: { size: 1 } });
      user.close();
      expect(await running.stop()).toEqual([]);
    }
  });

  it('reports what to do if the API server does not respond', async () => {
    const nowhere = { ...api.config, server: `https://localhost:${await freePort()}` };
    await expect(start({ apiServer: nowhere, startTimeout: 300 })).rejects.toMatchObject({
      code: 'API_SERVER_UNUSABLE',
      message: expect.stringMatching(/ECONNREFUSED.*extension-apiserver-authentication-reader/) as string,
    });
  });

  it('refuses contradicting versions', async () => {
    await expect(start({ resources: [oldBoxes] })).rejects.toThrow(
      'boxes v1alpha1 is stored as v1, which is not defined',
    );
    await expect(start({ resources: [boxes, boxes] })).rejects.toThrow('boxes v1 is defined twice');
  });

  it.each<[string, Partial<Parameters<typeof start>[0]>, string]>([
    ['a group without a dot', { group: 'test' }, 'group "test": must have a dot'],
    ['a group with an invalid name', { group: 'Test.example.com' }, 'a lowercase RFC 1123 subdomain'],
    ['no resources', { resources: [] }, 'test.example.com: no resources are defined'],
    [
      'one name for two resources',
      {
        resources: [
          boxes,
          oldBoxes,
          defineResource({ version: 'v1', kind: 'Bin', shortNames: ['box'], schema }),
        ],
      },
      'bins and boxes of v1 both have the name box',
    ],
    [
      'one kind for two resources',
      {
        resources: [
          boxes,
          oldBoxes,
          defineResource({ version: 'v1', kind: 'Box', singular: 'b', plural: 'b', schema }),
        ],
      },
      'b and boxes of v1 both have the kind Box',
    ],
  ])('refuses %s', async (_name, options, error) => {
    await expect(start(options)).rejects.toThrow(error);
  });

  it('stores its objects in a custom store', async () => {
    const store = createMemoryStore();
    const running = await start({ storage: store });
    const cert = await issueClientCertificate(api.clientCa, { user: 'admin', groups: ['system:masters'] });
    const user = new Client({
      server: running.url.replace('127.0.0.1', 'localhost'),
      ca: ca(),
      ...cert,
    });
    await user.json({ method: 'POST', path, body: box('mine') });
    const { entries } = await store.list('/registry/');
    expect(entries.map(({ key }) => key)).toEqual(['/registry/test.example.com/boxes/default/mine']);
    user.close();
    expect(await running.stop()).toEqual([]);
  });

  it('lets requests end when it stops, after it reported not ready', async () => {
    const held = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const slow = defineResource({
      version: 'v1',
      kind: 'Slow',
      plural: 'slow',
      scope: 'Cluster',
      schema,
      async prepare() {
        began.resolve();
        await held.promise;
      },
    });
    const running = await start({ resources: [slow], shutdownDelay: 500 });
    const cert = await issueClientCertificate(api.clientCa, { user: 'admin', groups: ['system:masters'] });
    const at = { server: running.url.replace('127.0.0.1', 'localhost'), ca: ca() };
    const [user, probe] = [new Client({ ...at, ...cert }), new Client(at)];
    await vi.waitFor(async () => expect((await probe.send({ path: '/readyz' })).status).toBe(200), {
      timeout: 20_000,
    });
    const body = { apiVersion: 'test.example.com/v1', kind: 'Slow', metadata: { name: 'one' } };
    const made = user.json({ method: 'POST', path: '/apis/test.example.com/v1/slow', body });
    await began.promise;
    const stopped = running.stop();
    const ready = await probe.send({ path: '/readyz' });
    expect([ready.status, ready.body.toString()]).toEqual([
      500,
      expect.stringContaining('[-]shutdown failed: reason withheld\n') as string,
    ]);
    expect((await probe.send({ path: '/livez' })).status).toBe(200);
    held.resolve();
    expect(await made).toMatchObject({ kind: 'Slow', metadata: { name: 'one' } });
    expect(await stopped).toEqual([]);
    user.close();
    probe.close();
  });
});
