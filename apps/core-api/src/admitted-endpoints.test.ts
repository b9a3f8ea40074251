import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
  await server.request('POST', `${base}/pods`, {
    metadata: { name: 'present' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });
  await server.request('POST', `${apps}/deployments`, {
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  });
});
afterAll(() => server.stop());

const base = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';

async function install(kind: 'Validating' | 'Mutating', resource: string, spec: object): Promise<void> {
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}admissionpolic`;
  const name = resource.replace('/', '.');
  const resourceRules = [
    { operations: ['*'], apiGroups: ['', 'apps'], apiVersions: ['v1'], resources: [resource] },
  ];
  const matchConstraints = { resourceRules };
  await server.request('POST', `${path}ies`, { metadata: { name }, spec: { matchConstraints, ...spec } });
  const validationActions = kind === 'Validating' ? { validationActions: ['Deny'] } : {};
  const bound = await server.request('POST', `${path}ybindings`, {
    metadata: { name },
    spec: { policyName: name, ...validationActions },
  });
  expect(bound.message).toBe('');
}

const refusing = (expression: string) => ({ validations: [{ expression, message: 'refused' }] });

it('policies see the grace period that a pod gets, and no deletion that is pending already', async () => {
  const pod = { metadata: { name: 'bound' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await server.request('POST', `${base}/pods`, pod);
  const binding = { metadata: { name: 'bound' }, target: { kind: 'Node', name: 'n' } };
  await server.request('POST', `${base}/pods/bound/binding`, binding);
  await install('Validating', 'pods', refusing('request.options.?gracePeriodSeconds.orValue(0) == 30'));
  const codeOf = async (what: string) => (await server.request('DELETE', `${base}/pods/${what}`)).code;
  expect([
    await codeOf('present?gracePeriodSeconds=30'),
    await codeOf('bound'),
    await codeOf('bound?gracePeriodSeconds=60'),
    await codeOf('bound?gracePeriodSeconds=1'),
  ]).toEqual([422, 200, 200, 422]);
});

it('policies see the eviction of a pod before the server looks for the pod', async () => {
  await install('Validating', 'pods/eviction', refusing('false'));
  const eviction = { metadata: { name: 'absent' } };
  const { message } = await server.request('POST', `${base}/pods/absent/eviction`, eviction);
  expect(message).toContain('denied request: refused');
});

it('policies see the owner of a binding', async () => {
  const owned = "object.metadata.managedFields.exists(m, m.subresource == 'binding')";
  await install('Validating', 'pods/binding', refusing(`!${owned}`));
  const binding = { metadata: { name: 'absent' }, target: { kind: 'Node', name: 'n' } };
  const { message } = await server.request('POST', `${base}/pods/absent/binding`, binding);
  expect(message).toContain('denied request: refused');
});

it('policies cannot merge a configuration into a Scale, which no document of its version contains', async () => {
  const expression = "Object{metadata: Object.metadata{annotations: {'a': 'b'}}}";
  await install('Mutating', 'deployments/scale', {
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  });
  const scaled = await server.request(
    'PATCH',
    `${apps}/deployments/d/scale`,
    { spec: { replicas: 5 } },
    'application/merge-patch+json',
  );
  expect(scaled.message).toContain('typed object: no corresponding type for autoscaling/v1, Kind=Scale');
});
