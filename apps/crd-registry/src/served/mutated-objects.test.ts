import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { allowMasters } from '@annex/app-testkit';
import { type JsonObject, type KubeObject, stringifyJson } from '@annex/machinery';
import { admissionPlugins } from '@annex/admission';
import { createTestCA } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crdOf } from '../crd.fixture.ts';
import { type Registry, serveRegistry } from '../registry.fixture.ts';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: { type: 'string', default: 'x' },
        m: { type: 'string' },
        o: { type: 'object', default: {}, properties: { q: { type: 'integer', default: 1 } } },
      },
    },
  },
};

let registry: Registry;
let hooks: Server;
/** The webhook's change of the next object. */
let operations: JsonObject[] = [];

beforeAll(async () => {
  const ca = createTestCA('hooks');
  const { certificate: cert, key } = ca.issue({ commonName: 'localhost', ipAddresses: ['127.0.0.1'] });
  hooks = createServer({ cert, key }, async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const { request, ...review } = JSON.parse(Buffer.concat(chunks).toString()) as {
      request: { uid: string };
    };
    const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
    const response = { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch };
    res.end(JSON.stringify({ ...review, response }));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => hooks.once('listening', resolve));
  registry = await serveRegistry({ plugins: (deps) => admissionPlugins(deps, allowMasters) });
  await registry.establish(crdOf({ scope: 'Cluster' }, { schema: { openAPIV3Schema: schema } }));
  await store('mutatingwebhookconfigurations/test', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'test', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
    webhooks: [
      {
        name: 'a.example.com',
        clientConfig: {
          url: `https://127.0.0.1:${(hooks.address() as AddressInfo).port}`,
          caBundle: Buffer.from(ca.certificate).toString('base64'),
        },
        rules: [
          { operations: ['*'], apiGroups: ['example.com'], apiVersions: ['*'], resources: ['*'], scope: '*' },
        ],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        reinvocationPolicy: 'Never',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
      },
    ],
  });
});
afterAll(async () => {
  await registry.stop();
  hooks.close();
});

const store = (key: string, object: object) =>
  registry.deps.store.create(`/registry/${key}`, Buffer.from(stringifyJson(object as JsonObject)));

let count = 0;
async function create(...patch: JsonObject[]) {
  operations = patch;
  const name = `w-${++count}`;
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { m: 'q' } };
  const response = await registry.request('POST', '/apis/example.com/v1/widgets', object);
  const { body } = await registry.request('GET', `/apis/example.com/v1/widgets/${name}`);
  return { ...response, read: body as KubeObject & { spec: JsonObject } };
}

describe('a custom object that a webhook changed', () => {
  it.each<[name: string, patch: JsonObject, spec: JsonObject]>([
    [
      'DEF-006 gets the default of a field that it removed',
      { op: 'remove', path: '/spec/a' },
      { a: 'x', m: 'q', o: { q: 1 } },
    ],
    [
      'DEF-006 gets the default of a field that it set to null',
      { op: 'add', path: '/spec/o', value: null },
      { a: 'x', m: 'q', o: { q: 1 } },
    ],
    [
      'is pruned when it is read',
      { op: 'add', path: '/spec/o/w', value: 1 },
      { a: 'x', m: 'q', o: { q: 1 } },
    ],
  ])('%s', async (_name, patch, spec) => {
    const { code, body, read } = await create(patch);
    expect(code).toBe(201);
    expect(body.spec).toEqual(spec);
    expect(read.spec).toEqual(spec);
  });

  it('is validated with its null values', async () => {
    const { code, message } = await create({ op: 'add', path: '/spec/m', value: null });
    expect(code).toBe(422);
    expect(message).toContain('spec.m: Invalid value: "null": spec.m in body must be of type string: "null"');
  });

  it('must keep its kind', async () => {
    const { code, message } = await create({ op: 'replace', path: '/kind', value: 'Other' });
    expect([code, message]).toEqual([
      422,
      'Other.example.com "w-5" is invalid: kind: Invalid value: "Other": must be Widget',
    ]);
  });
});
