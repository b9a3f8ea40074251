import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { definitionManifest, definitionVersion } from '@annex/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, isGone } from './await-object.ts';
import { runCommand } from './command.ts';
import { patienceMs } from './patience.ts';
import { annexCommand } from '../runners/annex-command.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = `${definitions}/cans.example.com`;
const cans = (version: string) => `/apis/example.com/${version}/namespaces/default/cans`;

let annex: Runner;
let api: Client;

const send = <T = KubeObject>(method: string, path: string, body?: JsonObject) =>
  api.json<T>({
    method,
    path,
    ...(body ? { body } : {}),
    ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
  });
const migrate = (...args: string[]) =>
  runCommand(process.execPath, [annexCommand, 'migrate', ...args, '--kubeconfig', annex.kubeconfig], {
    env: process.env,
    timeout: 60_000,
  });

const schema = { properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } } };
const versions = (names: string[], stored: string) =>
  names.map((name) => definitionVersion(name, schema, { storage: name === stored }));
const crd = definitionManifest({ group: 'example.com', kind: 'Can', versions: versions(['v1', 'v2'], 'v1') });

const count = 120;
const storedVersions = async () =>
  (await send<{ status: { storedVersions: string[] } }>('GET', definition)).status.storedVersions;
const isServed = (version: string) => async () => (await api.send({ path: cans(version) })).status === 200;
const revisions = async () => {
  const { items } = await send<{ items: KubeObject[] }>('GET', cans('v2'));
  return items.map(({ metadata }) => metadata.resourceVersion);
};

beforeAll(async () => {
  annex = await startAnnex();
  api = new Client(await loadKubeconfig(annex.kubeconfig));
});
afterAll(async () => {
  api.close();
  await annex.stop();
});

/** Objects that are stored in v1, of a CRD whose storage version is v2 now. */
beforeEach(async () => {
  if ((await api.send({ method: 'DELETE', path: definition })).status === 200)
    await awaitObject(api, definitions, 'cans.example.com', isGone);
  await send('POST', definitions, crd);
  await vi.waitUntil(isServed('v1'), { timeout: patienceMs });
  const create = (i: number) =>
    send('POST', cans('v1'), {
      apiVersion: 'example.com/v1',
      kind: 'Can',
      metadata: { name: `can-${i}` },
      spec: { n: i },
    });
  await Promise.all(Array.from({ length: count }, (_, i) => create(i)));
  await send('PATCH', definition, { spec: { versions: versions(['v1', 'v2'], 'v2') } });
  await vi.waitUntil(isServed('v2'), { timeout: patienceMs });
});

describe('annex migrate', () => {
  it('STO-016 STO-018 STO-019 stores every object again, so that the old version can be removed', async () => {
    expect(await storedVersions()).toEqual(['v1', 'v2']);
    expect(await migrate('cans.example.com', '--page-size', '50')).toMatchObject({
      code: 0,
      output: `cans.example.com in v2: ${count} written\n`,
    });
    expect(await storedVersions()).toEqual(['v2']);
    await send('PATCH', definition, { spec: { versions: versions(['v2'], 'v2') } });
    await vi.waitUntil(async () => !(await isServed('v1')()), { timeout: patienceMs });
    const { items } = await send<{ items: (KubeObject & { spec: { n: number } })[] }>('GET', cans('v2'));
    expect(items.map(({ spec }) => spec.n).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, i) => i),
    );
  });

  it('finds the definitions that need it, and nothing is left to do afterwards', async () => {
    expect(await migrate('--all')).toMatchObject({
      code: 0,
      output: `cans.example.com in v2: ${count} written\n`,
    });
    expect(await migrate('--all')).toMatchObject({ code: 0, output: '' });
    expect(await migrate('cans.example.com')).toMatchObject({
      code: 0,
      output: `cans.example.com in v2: 0 written, ${count} already in the storage version\n`,
    });
  });

  it('changes nothing in a dry run', async () => {
    const before = await revisions();
    expect(await migrate('cans.example.com', '--dry-run')).toMatchObject({
      code: 0,
      output: `cans.example.com in v2: ${count} would be written\n`,
    });
    expect(await revisions()).toEqual(before);
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });

  it('reports rejected objects, and does not change the status of their CRD', async () => {
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    const rules = [
      { apiGroups: ['example.com'], apiVersions: ['*'], operations: ['UPDATE'], resources: ['cans'] },
    ];
    await send('POST', policies, {
      metadata: { name: 'frozen' },
      spec: {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: "object.metadata.name != 'can-7'", message: 'frozen' }],
      },
    });
    await send('POST', `${policies.replace('policies', 'policybindings')}`, {
      metadata: { name: 'frozen' },
      spec: { policyName: 'frozen', validationActions: ['Deny'] },
    });
    const refused = async () =>
      (
        await api.send({
          method: 'PATCH',
          path: `${cans('v2')}/can-7?dryRun=All`,
          body: '{}',
          headers: { 'content-type': 'application/merge-patch+json' },
        })
      ).status === 422;
    await vi.waitUntil(refused, { timeout: patienceMs });
    const { code, output, text } = await migrate('cans.example.com');
    await send('DELETE', `${policies}/frozen`);
    await send('DELETE', `${policies.replace('policies', 'policybindings')}/frozen`);
    expect([code, output]).toEqual([1, `cans.example.com in v2: ${count - 1} written, 1 failed\n`]);
    expect(text).toContain('  default/can-7: ');
    expect(text).toContain('RESOURCE_UNUSABLE: cans.example.com is not migrated\n');
    expect(await storedVersions()).toEqual(['v1', 'v2']);
  });

  it('also migrates built-in resources, and reports unknown resources', async () => {
    const { code, output, text } = await migrate('namespaces', 'nothing.example.com');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^namespaces: 0 written, \d+ already in the storage version\n$/),
    ]);
    expect(text).toContain(
      'RESOURCE_UNUSABLE: nothing.example.com: the server has no resource nothing.example.com',
    );
  });
});
