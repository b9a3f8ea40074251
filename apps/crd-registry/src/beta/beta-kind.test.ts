import type { TestResponse } from '@annex/app-testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Crd } from '../crd/crd.ts';
import { crds as v1Path, hasCondition, type Registry, serveRegistry } from '../registry.fixture.ts';
import { betaCrd, nonStructural, schemaOf } from './beta.fixture.ts';

let registry: Registry;
beforeAll(async () => {
  registry = await serveRegistry({ runtimeConfig: ['apiextensions.k8s.io/v1beta1=true'] });
});
afterEach(async () => {
  await registry.request('DELETE', `${v1Path}/${name}`);
  await registry.until(name, (crd) => crd === undefined);
});
afterAll(() => registry.stop());

const name = 'crontabs.example.com';
const betaPath = '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions';
const merge = 'application/merge-patch+json';
const crontabs = '/apis/example.com/v1/namespaces/default/crontabs';

async function establish(spec: object = {}): Promise<TestResponse> {
  const response = await registry.request('POST', betaPath, betaCrd(spec));
  expect(response.code).toBe(201);
  await registry.until(name, hasCondition('Established', 'True'));
  return response;
}

const get = async (path: string): Promise<Crd> => (await registry.request('GET', path)).body as never;
const conditionTypes = async (): Promise<string[]> =>
  ((await get(`${v1Path}/${name}`)).status.conditions ?? []).map(({ type }) => type);
const crontab = (object: object): Promise<TestResponse> =>
  registry.request('POST', crontabs, {
    ...{ apiVersion: 'example.com/v1', kind: 'CronTab', metadata: { name: 'mine' } },
    ...object,
  });

describe('apiextensions.k8s.io/v1beta1, switched on', () => {
  it('V1B-001 warns with every response', async () => {
    const { warnings } = await establish();
    expect(warnings).toEqual([
      '299 - "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition"',
    ]);
  });

  it('PRU-002 shows v1 that fields are preserved', async () => {
    await establish();
    expect((await get(`${v1Path}/${name}`)).spec.preserveUnknownFields).toBe(true);
    expect((await get(`${betaPath}/${name}`)).spec).toMatchObject({
      version: 'v1beta1',
      scope: 'Namespaced',
    });
  });

  it('DEF-001 rejects defaults, which require v1', async () => {
    const validation = schemaOf({ host: { type: 'string', default: 'a' } });
    for (const preserveUnknownFields of [true, false]) {
      const crd = betaCrd({ validation, preserveUnknownFields });
      const { code, message } = await registry.request('POST', betaPath, crd);
      expect([code, message]).toEqual([422, expect.stringContaining('properties[host].default: Forbidden')]);
    }
  });

  it('FIX-022 V1B-010 deprecates versions', async () => {
    await establish({
      versions: [
        { name: 'v1alpha1', served: true, deprecated: true, deprecationWarning: 'v1alpha1 is old' },
        { name: 'v1beta1', served: true, deprecated: true },
        { name: 'v1', served: true, storage: true },
      ],
    });
    const stored = await get(`${betaPath}/${name}`);
    expect(stored.spec.versions?.map(({ storage }) => storage)).toEqual([false, false, true]);
    const list = await registry.request('GET', '/apis/example.com/v1beta1/crontabs');
    expect(list.warnings).toEqual([
      '299 - "example.com/v1beta1 CronTab is deprecated; use example.com/v1 CronTab"',
    ]);
  });

  it('V1B-003 PRU-003 PRU-004 PRU-005 prunes only if the CRD requests it', async () => {
    const object = { host: 'a', spec: { unknown: 1 }, unknown: 2 };
    const validation = schemaOf({ host: { type: 'string' }, spec: { type: 'object' } });
    await establish({ validation });
    expect((await crontab(object)).body).toMatchObject(object);
    await registry.request('DELETE', `${crontabs}/mine`);
    await registry.request('PATCH', `${betaPath}/${name}`, { spec: { preserveUnknownFields: false } }, merge);
    await registry.until(name, (crd) => !crd?.spec.preserveUnknownFields);
    const { body } = await crontab(object);
    expect(body).toMatchObject({ host: 'a', spec: {} });
    expect(body).not.toHaveProperty('unknown');
    expect(body).not.toHaveProperty('spec.unknown');
  });

  it('KEP-001 CRD-024 serves and checks objects of schemas that are not structural', async () => {
    await establish({ validation: schemaOf(nonStructural) });
    expect((await crontab({ port: 1 })).code).toBe(201);
    expect((await crontab({ port: {} })).code).toBe(422);
  });

  it('applies, and records field managers with their version', async () => {
    const applied = await registry.request(
      'PATCH',
      `${betaPath}/${name}?fieldManager=me`,
      betaCrd(),
      'application/apply-patch+yaml',
    );
    expect(applied.code).toBe(201);
    await registry.until(name, hasCondition('Established', 'True'));
    const again = await registry.request(
      'PATCH',
      `${betaPath}/${name}?fieldManager=me`,
      betaCrd(),
      'application/apply-patch+yaml',
    );
    const { metadata, spec } = await get(`${v1Path}/${name}`);
    expect(again.body.metadata.generation).toBe(1);
    expect(metadata.managedFields?.[0]).toMatchObject({
      manager: 'me',
      apiVersion: 'apiextensions.k8s.io/v1beta1',
    });
    expect(spec.versions?.every(({ schema }) => schema !== undefined)).toBe(true);
  });
});

describe('the condition NonStructuralSchema (KEP-056, STR-025)', () => {
  const violation = (i: number) =>
    [
      `spec.versions[${i}].schema.openAPIV3Schema.properties[port].anyOf[0].type: Forbidden: must be empty to be structural`,
      `spec.versions[${i}].schema.openAPIV3Schema.properties[port].anyOf[1].type: Forbidden: must be empty to be structural`,
      `spec.versions[${i}].schema.openAPIV3Schema.properties[port].type: Required value: must not be empty for specified object fields`,
    ].join(', ');
  const preserving = 'spec.preserveUnknownFields: Invalid value: true: must be false';
  const structural = schemaOf({ port: { type: 'string' } });
  const legacy = schemaOf(nonStructural);
  const one = (validation?: object) => ({
    validation,
    versions: [{ name: 'v1', served: true, storage: true }],
  });
  const two = (first: object, second: object) => ({
    validation: undefined,
    versions: [
      { name: 'v1', served: true, storage: true, schema: first },
      { name: 'v2', served: true, schema: second },
    ],
  });
  it.each<[string, object, string]>([
    ['no schema', one(), preserving],
    ['a structural one', one(structural), preserving],
    ['one that is not structural', one(legacy), `[${preserving}, ${violation(0)}]`],
    ['the second of two is not structural', two(structural, legacy), `[${preserving}, ${violation(1)}]`],
    ['the first of two is not structural', two(legacy, structural), `[${preserving}, ${violation(0)}]`],
  ])('reports the error of %s', async (_name, spec, message) => {
    await establish(spec);
    await registry.until(name, hasCondition('NonStructuralSchema', 'True'));
    const { status } = await get(`${v1Path}/${name}`);
    expect(status.conditions?.find(({ type }) => type === 'NonStructuralSchema')).toMatchObject({
      reason: 'Violations',
      message,
    });
  });

  it('KEP-005 is absent without violations', async () => {
    await establish({ preserveUnknownFields: false });
    expect(await conditionTypes()).toEqual(['NamesAccepted', 'Established']);
  });

  it('KEP-006 is removed when the schema is corrected', async () => {
    await establish();
    await registry.until(name, hasCondition('NonStructuralSchema', 'True'));
    await registry.request('PATCH', `${v1Path}/${name}`, { spec: { preserveUnknownFields: false } }, merge);
    await registry.until(name, (crd) => !hasCondition('NonStructuralSchema', 'True')(crd));
    expect(await conditionTypes()).toEqual(['NamesAccepted', 'Established']);
  });

  it('KEP-004 v1 keeps a schema that is not structural, and brings none', async () => {
    await establish({ validation: legacy });
    const crd = await get(`${v1Path}/${name}`);
    crd.spec.names.shortNames = ['other'];
    expect((await registry.request('PUT', `${v1Path}/${name}`, crd)).code).toBe(200);
    const structured = await get(`${betaPath}/${name}`);
    await registry.request(
      'PUT',
      `${betaPath}/${name}`,
      Object.assign(structured, { spec: { ...structured.spec, validation: structural } }),
    );
    const next = await get(`${v1Path}/${name}`);
    for (const version of next.spec.versions ?? []) version.schema = legacy as never;
    expect((await registry.request('PUT', `${v1Path}/${name}`, next)).code).toBe(422);
  });

  it('KEP-053 OAS-004 no schema is published', async () => {
    await establish();
    const { body } = await registry.request('GET', '/openapi/v3/apis/example.com/v1');
    expect(JSON.stringify(body)).not.toContain('"host"');
  });
});
