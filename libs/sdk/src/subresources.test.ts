import type { Client } from '@annex/client';
import { ResourceClient } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineResource } from './define-resource.ts';
import { type ServedResources, serveResources } from './served-resources.fixture.ts';

const taken = defineResource({
  version: 'v1',
  kind: 'Name',
  scope: 'Cluster',
  age: false,
  deprecationWarning: 'names are out of fashion',
  schema: { type: 'object', properties: {} },
});
const pools = defineResource({
  version: 'v1',
  kind: 'Pool',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { size: { type: 'integer', minimum: 0, default: 0 }, approvedBy: { type: 'string' } },
        default: {},
      },
      status: { type: 'object', properties: { ready: { type: 'integer' } } },
    },
  },
  scale: {
    replicas: ({ spec }) => spec.size,
    setReplicas: ({ spec }, size) => void (spec.size = size),
    currentReplicas: ({ status }) => status?.ready ?? 0,
    selector: ({ metadata }) => `pool=${metadata.name}`,
  },
  subresources: {
    approval: {
      get: (pool) => pool,
      put: (_sent, pool, { user }) => ({ ...pool, spec: { ...pool.spec, approvedBy: user.name } }),
    },
    echo: {
      kind: 'Echo',
      schema: { type: 'object', properties: { text: { type: 'string' } } },
      post: ({ text }, pool) => ({
        kind: 'Echo',
        metadata: {},
        text: `${pool.metadata.name}: ${String(text)}`,
      }),
    },
  },
  async admit(pool, old, request) {
    const names = await request.objects.list(taken);
    if (old === undefined && names.some(({ metadata }) => metadata.name === pool.metadata.name)) {
      throw request.forbidden('the name is taken');
    }
  },
});

let served: ServedResources;
let client: Client;

beforeAll(async () => {
  served = await serveResources({ group: 'test.example.com', resources: [pools, taken] }, 'ada');
  client = served.admin;
});
afterAll(() => served.stop());

const address = { apiVersion: 'test.example.com/v1', resource: 'pools', kind: 'Pool', namespace: 'default' };
const pool = (name: string): KubeObject => ({ metadata: { name } });
const resource = () => new ResourceClient<KubeObject>(client, address);
const path = '/apis/test.example.com/v1/namespaces/default/pools';

describe('the scale', () => {
  it('is read and written by the functions of the definition', async () => {
    await resource().create(pool('scaled'));
    const scaled = await resource().patch('scaled', { spec: { replicas: 3 } }, { subresource: 'scale' });
    expect(scaled).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'scaled', namespace: 'default' },
      spec: { replicas: 3 },
      status: { replicas: 0, selector: 'pool=scaled' },
    });
    expect(await resource().get('scaled')).toMatchObject({ spec: { size: 3 }, metadata: { generation: 2 } });
  });

  it('is validated like the object', async () => {
    await expect(
      resource().patch('scaled', { spec: { replicas: -1 } }, { subresource: 'scale' }),
    ).rejects.toThrow('spec.size: Invalid value: -1');
  });
});

describe('a further subresource', () => {
  it('is written by the definition, which receives the user', async () => {
    await resource().create(pool('asked'));
    await resource().patch('asked', {}, { subresource: 'approval' });
    expect((await resource().get('asked')).spec).toEqual({ size: 0, approvedBy: 'ada' });
  });

  it('serves POST without storing anything', async () => {
    const response = await client.json({
      method: 'POST',
      path: `${path}/asked/echo`,
      body: { apiVersion: 'test.example.com/v1', kind: 'Echo', metadata: {}, text: 'hello' },
    });
    expect(response).toMatchObject({ kind: 'Echo', text: 'asked: hello' });
  });

  it('is listed in discovery with the verbs of its functions', async () => {
    const { resources } = await client.json<{ resources: { name: string; kind: string; verbs: string[] }[] }>(
      {
        path: '/apis/test.example.com/v1',
      },
    );
    expect(resources.map(({ name, kind, verbs }) => `${name} ${kind} ${verbs.join(',')}`)).toEqual([
      'names Name create,delete,deletecollection,get,list,patch,update,watch',
      'pools Pool create,delete,deletecollection,get,list,patch,update,watch',
      'pools/approval Pool get,patch,update',
      'pools/echo Echo create',
      'pools/scale Scale get,patch,update',
      'pools/status Pool get,patch,update',
    ]);
  });
});

describe('the admission of a definition', () => {
  it('reads the other objects of the server, and refuses with the name', async () => {
    await client.json({
      method: 'POST',
      path: '/apis/test.example.com/v1/names',
      body: { apiVersion: 'test.example.com/v1', kind: 'Name', metadata: { name: 'gone' } },
    });
    await expect(resource().create(pool('gone'))).rejects.toMatchObject({
      code: 403,
      message: 'pools.test.example.com "gone" is forbidden: the name is taken',
    });
  });
});

describe('a version', () => {
  it('that is deprecated sends a warning, and has custom columns', async () => {
    const { headers, body } = await client.send({
      path: '/apis/test.example.com/v1/names',
      headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    });
    expect(headers.warning).toBe('299 - "names are out of fashion"');
    const { columnDefinitions } = JSON.parse(body.toString()) as { columnDefinitions: { name: string }[] };
    expect(columnDefinitions.map(({ name }) => name)).toEqual(['Name']);
  });
});
