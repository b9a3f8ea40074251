import type { JsonObject, KubeObject } from '@annex/machinery';
import { afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { servedKinds } from '../served-kinds.fixture.ts';
import { maxPolicyMessageBytes } from './validating-policy.ts';

const registration = 'admissionregistration.k8s.io/v1';
const path = `/apis/${registration}/validatingadmissionpolicies`;
const bindingPath = `/apis/${registration}/validatingadmissionpolicybindings`;

const { request } = servedKinds({
  namespaces: ['ns', 'other'].map((name) => ({ name, labels: { team: name } })),
});
beforeAll(async () => {
  await create(configMap('limits', { data: { most: '3' }, metadata: { labels: { use: 'limits' } } }));
});
afterEach(async () => {
  await request('DELETE', `${path}/p`);
  await request('DELETE', `${bindingPath}/b`);
});

const configMaps = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];

function policy(spec: JsonObject): JsonObject {
  return {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { matchConstraints: { resourceRules: configMaps }, ...spec },
  };
}

async function install(spec: JsonObject, bindingSpec: JsonObject = {}): Promise<void> {
  const made = await request('POST', path, policy(spec));
  expect(made.message).toBe('');
  const bound = await request('POST', bindingPath, {
    apiVersion: registration,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...bindingSpec },
  });
  expect(bound.message).toBe('');
}

function configMap(name: string, { metadata, ...rest }: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(metadata as JsonObject) }, ...rest };
}
const create = (object: JsonObject, namespace = 'ns') =>
  request('POST', `/api/v1/namespaces/${namespace}/configmaps`, object);
const tryCreate = (object: JsonObject = configMap('c', { data: { a: '12345' } }), namespace = 'ns') =>
  request('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, object);

const denied = (why: string, by = " with binding 'b'") =>
  `configmaps "c" is forbidden: ValidatingAdmissionPolicy 'p'${by} denied request: ${why}`;

/** Different expressions that cost about half a million units each. */
function expensive(count: number): string[] {
  const each = (inner: string) => `'0123456789'.split('').all(x, ${inner})`;
  return Array.from({ length: count }, (_, i) => each(each(each(each(each(`x != 'a${i}'`))))));
}

describe('validations of a policy', () => {
  const refusals: [string, JsonObject, number, string][] = [
    [
      'their expression',
      { expression: 'object.data.a.size() < 3' },
      422,
      'failed expression: object.data.a.size() < 3',
    ],
    ['their message', { expression: 'false', message: ' no ' }, 422, 'no'],
    [
      'the text of their messageExpression',
      { expression: 'false', messageExpression: "'not ' + object.metadata.name" },
      422,
      'not c',
    ],
    [
      'their message, if messageExpression returns several lines',
      { expression: 'false', message: 'm', messageExpression: "'a\\nb'" },
      422,
      'm',
    ],
    ['a reason', { expression: 'false', message: 'm', reason: 'Forbidden' }, 403, 'm'],
    [
      'an error',
      { expression: 'object.data.none == 1' },
      422,
      "expression 'object.data.none == 1' resulted in error: no such key: none",
    ],
    [
      'the permissions of the client',
      { expression: "!authorizer.requestResource.check('create').allowed()" },
      422,
      "failed expression: !authorizer.requestResource.check('create').allowed()",
    ],
    [
      'the permissions of a service account',
      { expression: "authorizer.serviceAccount('ns', 'sa').path('/x').check('get').allowed()" },
      422,
      "failed expression: authorizer.serviceAccount('ns', 'sa').path('/x').check('get').allowed()",
    ],
    [
      'the namespace',
      { expression: "namespaceObject.metadata.labels.team != 'ns'" },
      422,
      "failed expression: namespaceObject.metadata.labels.team != 'ns'",
    ],
    [
      'the request',
      { expression: "request.operation != 'CREATE' || !request.dryRun" },
      422,
      "failed expression: request.operation != 'CREATE' || !request.dryRun",
    ],
  ];
  it.each(refusals)('refuse with %s', async (_, validation, code, why) => {
    await install({ validations: [validation] });
    expect(await tryCreate()).toMatchObject({ code, message: denied(why) });
  });

  it('use variables, which use earlier variables', async () => {
    await install({
      variables: [
        { name: 'a', expression: 'object.data.a' },
        { name: 'long', expression: 'variables.a.size() > 3' },
      ],
      validations: [{ expression: '!variables.long', messageExpression: "variables.a + ' is too long'" }],
    });
    expect((await tryCreate()).message).toBe(denied('12345 is too long'));
  });

  it('report the error of a variable', async () => {
    await install({
      variables: [{ name: 'x', expression: 'object.none' }],
      validations: [{ expression: 'variables.x == 1' }],
    });
    expect((await tryCreate()).message).toBe(
      denied(
        `expression 'variables.x == 1' resulted in error: composited variable "x" fails to evaluate: no such key: none`,
      ),
    );
  });

  it('ignore errors with failurePolicy Ignore, but refuse if they are false', async () => {
    await install({ failurePolicy: 'Ignore', validations: [{ expression: 'object.data.none == 1' }] });
    expect((await tryCreate()).code).toBe(201);
  });

  it('make messages up to maxPolicyMessageBytes', async () => {
    const text = (bytes: number) => `'${'x'.repeat(bytes)}'`;
    const validation = (bytes: number) => ({ expression: 'false', messageExpression: text(bytes) });
    await install({ validations: [validation(maxPolicyMessageBytes)] });
    expect((await tryCreate()).message).toBe(denied('x'.repeat(5120)));
    await request('DELETE', `${path}/p`);
    await request('DELETE', `${bindingPath}/b`);
    await install({ validations: [validation(maxPolicyMessageBytes + 1)] });
    expect((await tryCreate()).message).toBe(denied('failed expression: false'));
  });

  // The limit: maxPolicyExpressionCost.
  it('cost at most the limit of a policy', async () => {
    const each = (inner: string) => `'0123456789'.split('').all(x, ${inner})`;
    const all = each(each(each(each(each(each("x == '0' || x != '0'"))))));
    await install({ validations: [{ expression: all }] });
    expect((await tryCreate()).message).toContain('operation cancelled: actual cost limit exceeded');
  });

  // The limits: maxConditionsCost and maxPolicyCost.
  it.each<[string, (count: number) => JsonObject, within: number, beyond: number]>([
    [
      'conditions',
      (count) => ({
        matchConditions: expensive(count).map((expression, i) => ({ name: `c${i}`, expression })),
        validations: [{ expression: 'true' }],
      }),
      2,
      6,
    ],
    [
      'validations',
      (count) => ({ validations: expensive(count).map((expression) => ({ expression })) }),
      2,
      25,
    ],
  ])('cost at most the common limit of all %s', async (_what, specOf, within, beyond) => {
    await install(specOf(within));
    expect((await tryCreate()).code).toBe(201);
    await request('DELETE', `${path}/p`);
    await request('DELETE', `${bindingPath}/b`);
    await install(specOf(beyond));
    expect((await tryCreate()).message).toContain('running out of cost budget');
  });
});

describe('bindings', () => {
  const no = [{ expression: 'false', message: 'no' }];

  it('warn instead of refusing', async () => {
    await install({ validations: no }, { validationActions: ['Warn', 'Audit'] });
    expect(await tryCreate()).toMatchObject({
      code: 201,
      warnings: [`299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"`],
    });
  });

  it('select namespaces', async () => {
    const matchResources = { namespaceSelector: { matchLabels: { team: 'other' } } };
    await install({ validations: no }, { matchResources });
    expect((await tryCreate()).code).toBe(201);
    expect((await tryCreate(undefined, 'other')).code).toBe(422);
  });

  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const validations = [{ expression: 'object.data.a.size() <= int(params.data.most)' }];
  const refs: [string, JsonObject, string][] = [
    ['a name', { name: 'limits' }, 'failed expression: object.data.a.size() <= int(params.data.most)'],
    [
      'labels',
      { selector: { matchLabels: { use: 'limits' } } },
      'failed expression: object.data.a.size() <= int(params.data.most)',
    ],
    [
      'an absent object',
      { name: 'none' },
      'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction',
    ],
  ];
  it.each(refs)('name parameters by %s', async (_, ref, why) => {
    await install({ paramKind, validations }, { paramRef: { parameterNotFoundAction: 'Deny', ...ref } });
    expect((await tryCreate()).message).toBe(denied(why));
  });

  it('refuse nothing if absent parameters are allowed', async () => {
    await install(
      { paramKind, validations },
      { paramRef: { parameterNotFoundAction: 'Allow', name: 'none' } },
    );
    expect((await tryCreate()).code).toBe(201);
  });

  it('cannot name parameters of a kind that is not served', async () => {
    await install(
      { paramKind: { apiVersion: 'x.io/v1', kind: 'X' }, validations },
      { paramRef: { parameterNotFoundAction: 'Deny', name: 'a' } },
    );
    expect((await tryCreate()).message).toBe(
      denied(
        "failed to configure policy: failed to find resource referenced by paramKind: 'x.io/v1, Kind=X'",
        '',
      ),
    );
  });
});

describe('the requests that a policy evaluates', () => {
  const validations = [{ expression: 'false', message: 'no' }];
  it.each<[string, JsonObject, number]>([
    [
      'its match conditions are true',
      { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'c'" }] },
      422,
    ],
    [
      'one of its match conditions is false',
      {
        matchConditions: [
          { name: 'c', expression: 'object.none' + ' == 1' },
          { name: 'd', expression: 'false' },
        ],
      },
      201,
    ],
    [
      'one of its match conditions fails',
      { matchConditions: [{ name: 'c', expression: 'object.none == 1' }] },
      422,
    ],
    [
      'its rules name the object',
      { matchConstraints: { resourceRules: [{ ...configMaps[0], resourceNames: ['c'] }] } },
      422,
    ],
    [
      'its rules name another object',
      { matchConstraints: { resourceRules: [{ ...configMaps[0], resourceNames: ['d'] }] } },
      201,
    ],
    [
      'its rules exclude the object',
      { matchConstraints: { resourceRules: configMaps, excludeResourceRules: configMaps } },
      201,
    ],
  ])('where %s', async (_, spec, code) => {
    await install({ validations, ...spec });
    expect((await tryCreate()).code).toBe(code);
  });
});

test('a collection is deleted up to the first refused object', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `c-${String(i).padStart(2, '0')}`);
  const labels = { of: 'collection' };
  await Promise.all(names.map((name) => create(configMap(name, { metadata: { labels } }))));
  await install({ validations: [{ expression: "request.operation != 'DELETE' || request.name != 'c-00'" }] });
  const collection = '/api/v1/namespaces/ns/configmaps?labelSelector=of=collection';
  await expect
    .poll(async () => (await request('DELETE', '/api/v1/namespaces/ns/configmaps/c-00?dryRun=All')).code)
    .toBe(422);
  expect((await request('DELETE', collection)).code).toBe(422);
  const { items } = (await request('GET', collection)).body as unknown as { items: KubeObject[] };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['c-00', 'c-59']));
});
