import type { JsonObject } from '@annex/machinery';
import { afterEach, describe, expect, it } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';

const { request } = servedKinds();
const registration = 'admissionregistration.k8s.io/v1';
const path = `/apis/${registration}/mutatingadmissionpolicies`;
const bindingPath = `/apis/${registration}/mutatingadmissionpolicybindings`;

const installed: string[] = [];
afterEach(async () => {
  for (const one of installed.splice(0)) await request('DELETE', one);
});

const apply = (expression: string): JsonObject => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const jsonPatch = (expression: string): JsonObject => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

const rules: JsonObject = {
  resourceRules: [
    {
      operations: ['CREATE'],
      apiGroups: ['', 'apps'],
      apiVersions: ['v1'],
      resources: ['configmaps', 'deployments'],
    },
  ],
};

const policy = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: registration,
  kind: 'MutatingAdmissionPolicy',
  metadata: { name },
  spec: {
    reinvocationPolicy: 'Never',
    matchConstraints: rules,
    ...spec,
  },
});

async function install(name: string, spec: JsonObject): Promise<void> {
  expect((await request('POST', path, policy(name, spec))).message).toBe('');
  const binding = {
    apiVersion: registration,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  };
  expect((await request('POST', bindingPath, binding)).message).toBe('');
  installed.push(`${path}/${name}`, `${bindingPath}/${name}`);
}

const create = (data: JsonObject = { a: '1' }) =>
  request('POST', '/api/v1/namespaces/ns/configmaps?dryRun=All', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c' },
    data,
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

describe('mutations', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['merge a configuration', apply("Object{data: {'b': '2'}}"), { a: '1', b: '2' }],
    ['see the object', apply("Object{data: {'b': object.data.a + '!'}}"), { a: '1', b: '1!' }],
    [
      'apply a JSON patch',
      jsonPatch(
        "[JSONPatch{op: 'add', path: '/data/b', value: '2'}, JSONPatch{op: 'remove', path: '/data/a'}]",
      ),
      { b: '2' },
    ],
    [
      'move with a JSON patch',
      jsonPatch("[JSONPatch{op: 'move', from: '/data/a', path: '/data/' + jsonpatch.escapeKey('b')}]"),
      { b: '1' },
    ],
    [
      'do nothing if the test of a JSON patch fails',
      jsonPatch(
        "[JSONPatch{op: 'test', path: '/data/a', value: '2'}, JSONPatch{op: 'remove', path: '/data/a'}]",
      ),
      { a: '1' },
    ],
  ])('%s', async (_, mutation, data) => {
    await install('p', { mutations: [mutation] });
    expect((await create()).body.data).toEqual(data);
  });

  it('merge into the items of a list by key, and set defaults in added items', async () => {
    const container =
      "Object.spec.template.spec.containers{name: 'side', image: 'x', ports: [Object.spec.template.spec.containers.ports{containerPort: 80}]}";
    const expression = `Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: [${container}]}}}}`;
    await install('p', { mutations: [apply(expression)] });
    const { body, message } = await request(
      'POST',
      '/apis/apps/v1/namespaces/ns/deployments?dryRun=All',
      deployment,
    );
    expect(message).toBe('');
    const { containers } = (body.spec as { template: { spec: { containers: JsonObject[] } } }).template.spec;
    expect(containers.map(({ name }) => name)).toEqual(['c', 'side']);
    expect(containers[1]?.ports).toEqual([{ containerPort: 80, protocol: 'TCP' }]);
  });

  it('see earlier changes of the same and of other policies', async () => {
    await install('p1', {
      mutations: [apply("Object{data: {'b': '2'}}"), apply("Object{data: {'c': object.data.b}}")],
    });
    await install('p2', { mutations: [apply("Object{data: {'d': object.data.c}}")] });
    expect((await create()).body.data).toEqual({ a: '1', b: '2', c: '2', d: '2' });
  });

  it('are repeated with reinvocationPolicy IfNeeded after later changes by others', async () => {
    const count = apply("Object{data: {'n': string(size(object.data))}}");
    await install('p1', { reinvocationPolicy: 'IfNeeded', mutations: [count] });
    await install('p2', { mutations: [apply("Object{data: {'b': '2'}}")] });
    expect((await create()).body.data).toEqual({ a: '1', b: '2', n: '3' });
  });

  it('are repeated after any mutation, including their own and empty ones', async () => {
    const count = apply("Object{data: {'n': string(size(object.data))}}");
    await install('p1', { reinvocationPolicy: 'IfNeeded', mutations: [count] });
    expect((await create()).body.data).toEqual({ a: '1', n: '2' });
    expect((await create({ n: '1' })).body.data).toEqual({ n: '1' });
  });

  it('are made if the object matched before the first mutation', async () => {
    await install('p1', { mutations: [apply("Object{metadata: Object.metadata{labels: {'l': '1'}}}")] });
    await install('p2', {
      matchConstraints: { ...rules, objectSelector: { matchLabels: { l: '1' } } },
      mutations: [apply("Object{data: {'b': '2'}}")],
    });
    expect((await create()).body.data).toEqual({ a: '1' });
  });
});

const denied = (why: string) => `policy 'p' with binding 'p' denied request: ${why}`;

describe('a mutation that fails', () => {
  const failures: [string, JsonObject, string][] = [
    [
      'because its expression fails',
      apply("Object{data: {'b': object.none}}"),
      "expression 'Object{data: {'b': object.none}}' resulted in error: no such key: none",
    ],
    [
      'because the type of an object is that of another path',
      apply("Object{metadata: Object.spec{name: 'x'}}"),
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    ],
    [
      'because the kind has no such field',
      apply('Object{dota: 1}'),
      'error applying patch: failed to convert patch object to typed object: .dota: field not declared in schema',
    ],
    [
      'because it sets a text to null',
      apply("Object{data: {'b': null}}"),
      'error applying patch: failed to convert patch object to typed object: .data.b: expected string, got &value.valueUnstructured{Value:0}',
    ],
    [
      'because it sets an object to null',
      apply('Object{metadata: Object.metadata{labels: null}}'),
      'error applying patch: failed to convert patch object to typed object: .metadata.labels: expected map, got &{NULL_VALUE}',
    ],
    [
      'because it sets a text to bytes',
      apply("Object{data: {'b': b'az'}}"),
      'error applying patch: failed to convert patch object to typed object: .data.b: expected string, got &value.valueUnstructured{Value:[]uint8{0x61, 0x7a}}',
    ],
    [
      'because it would replace an atomic value',
      apply('Object{metadata: Object.metadata{managedFields: []}}'),
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.managedFields',
    ],
    [
      'because a JSON patch does not apply',
      jsonPatch("[JSONPatch{op: 'remove', path: '/data/none'}]"),
      "JSON Patch: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ],
  ];
  it.each(failures)('%s refuses the request', async (_, mutation, why) => {
    await install('p', { mutations: [mutation] });
    const response = await create();
    expect(response.message).toBe(denied(why));
    expect(response).toMatchObject({
      code: 403,
      body: { reason: 'Invalid', details: { causes: [{ message: denied(why) }] } },
    });
  });

  it('is ignored with failurePolicy Ignore', async () => {
    await install('p', { failurePolicy: 'Ignore', mutations: [apply('Object{dota: 1}')] });
    expect((await create()).body.data).toEqual({ a: '1' });
  });
});
