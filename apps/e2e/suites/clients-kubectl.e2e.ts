import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { findKubectls } from '@annex/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { awaitObject, findObject, isGone } from './await-object.ts';
import { type Kubectl, kubectlOf } from './extension/kubectl.ts';

const wanted = ['1.27', '1.33'];
const kubectls = (await findKubectls()).filter(({ version }) => wanted.includes(version));
for (const version of wanted) {
  if (kubectls.some((one) => one.version === version)) continue;
  process.stderr.write(`SKIPPED kubectl ${version}: it is not installed\n`);
}

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boats.kubectl.example.com }
spec:
  group: kubectl.example.com
  scope: Namespaced
  names: { plural: boats, singular: boat, kind: Boat }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;
const boat = (length: number, name = 'first'): string => `
apiVersion: kubectl.example.com/v1
kind: Boat
metadata: { name: ${name} }
spec: { length: ${length}, sails: [ { name: main }, { name: jib } ] }
`;
const deployment = (image: string, replicas = 1): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [ { name: c, image: ${image} } ] }
`;

describe.each(kubectls)('kubectl $version', ({ path, version }) => {
  let annex: Runner;
  let api: Client;
  let kubectl: Kubectl;
  let namespace = '';
  let count = 0;

  const boats = () => `/apis/kubectl.example.com/v1/namespaces/${namespace}/boats`;
  const configMaps = () => `/api/v1/namespaces/${namespace}/configmaps`;
  const words = (text: string) => [...text.split(' '), '-n', namespace];
  const ok = (text: string, input?: string) => kubectl.ok(words(text), input);
  const run = (text: string, input?: string) => kubectl.run(words(text), input);
  const patch = (object: string, body: JsonObject) =>
    api.json<KubeObject>({
      method: 'PATCH',
      path: object,
      headers: { 'content-type': 'application/merge-patch+json' },
      body,
    });
  /** Creates a ConfigMap that is owned by the boat. */
  const own = async (name: string): Promise<void> => {
    const { metadata } = await api.json<KubeObject>({ path: `${boats()}/first` });
    const owner = { apiVersion: 'kubectl.example.com/v1', kind: 'Boat', name: 'first', uid: metadata.uid };
    await api.json({
      method: 'POST',
      path: configMaps(),
      body: { metadata: { name, ownerReferences: [{ ...owner, blockOwnerDeletion: true }] } },
    });
  };

  beforeAll(async () => {
    annex = await startAnnex({ controllers: '*', ephemeral: true });
    api = new Client(await loadKubeconfig(annex.kubeconfig));
    kubectl = kubectlOf(annex.kubeconfig, annex.dataDir, path);
    await kubectl.ok(['create', '-f', '-'], definition);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/boats.kubectl.example.com']);
  });
  afterAll(async () => {
    api?.close();
    await annex?.stop();
  });
  beforeEach(async () => {
    namespace = `test-${++count}`;
    await kubectl.ok(['create', 'namespace', namespace]);
  });

  describe('wait', () => {
    /** Starts a command that waits. Its watch begins some time later, so the awaited state must persist. */
    const waiting = (text: string) => run(`wait ${text} --timeout=20s`);

    it('ends when a condition is met later', async () => {
      await ok('create -f -', boat(1));
      const done = waiting('boat/first --for=condition=Afloat');
      await patch(`${boats()}/first/status`, {
        status: { conditions: [{ type: 'Afloat', status: 'False' }] },
      });
      await patch(`${boats()}/first/status`, {
        status: { conditions: [{ type: 'Afloat', status: 'True' }] },
      });
      expect(await done).toMatchObject({
        code: 0,
        output: 'boat.kubectl.example.com/first condition met\n',
      });
    });

    it('ends when a field has a value', async () => {
      await ok('create -f -', boat(1));
      const done = waiting('boat/first --for=jsonpath={.spec.length}=7');
      await patch(`${boats()}/first`, { spec: { length: 7 } });
      expect((await done).code).toBe(0);
    });

    it('ends when all selected objects are deleted', async () => {
      await ok('create -f -', boat(1));
      await ok('label boat/first fleet=a');
      const done = waiting('boat -l fleet=a --for=delete');
      await ok('delete boat first --wait=false');
      expect((await done).code).toBe(0);
    });

    it.runIf(Number(version.split('.')[1]) >= 31)('ends when something is created', async () => {
      const done = waiting('boat/first --for=create');
      await ok('create -f -', boat(1));
      expect(await done).toMatchObject({
        code: 0,
        output: 'boat.kubectl.example.com/first condition met\n',
      });
    });

    it('gives up after its timeout', async () => {
      await ok('create -f -', boat(1));
      const { code, text } = await run('wait boat/first --for=condition=Afloat --timeout=1s');
      expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining('timed out') as string });
    });
  });

  describe('diff', () => {
    const lines = (text: string) => text.split('\n').filter((line) => /^[+-][^+-]/.test(line));
    const withoutGeneration = (text: string) => lines(text).filter((line) => !/generation/.test(line));

    it('reports nothing if nothing differs', async () => {
      await ok('apply -f -', boat(1) + '---' + deployment('nginx'));
      expect(await run('diff -f -', boat(1) + '---' + deployment('nginx'))).toMatchObject({
        code: 0,
        text: '',
      });
    });

    it.each(['', ' --server-side'])('shows the changes of apply%s, and changes nothing', async (how) => {
      await ok(`apply${how} -f -`, boat(1) + '---' + deployment('nginx'));
      const { code, output } = await run(`diff${how} -f -`, boat(2) + '---' + deployment('nginx:2', 3));
      expect(code).toBe(1);
      expect(withoutGeneration(output).map((line) => line.replace(/\s+/g, ' '))).toEqual(
        expect.arrayContaining([
          '- replicas: 1',
          '+ replicas: 3',
          '- - image: nginx',
          '+ - image: nginx:2',
          '- length: 1',
          '+ length: 2',
        ]),
      );
      expect(await ok('get boat first -o jsonpath={.spec.length}')).toBe('1');
    });

    it('shows an object that would be created', async () => {
      const { code, output } = await run('diff -f -', boat(1, 'second'));
      expect(code).toBe(1);
      expect(output).toContain('+kind: Boat');
      expect(await findObject(api, `${boats()}/second`)).toBeUndefined();
    });

    it('reports errors of the server', async () => {
      await ok('apply -f -', deployment('nginx'));
      const { code, text } = await run('diff -f -', deployment('nginx', -1));
      expect(code).toBeGreaterThan(1);
      expect(text).toContain('spec.replicas: Invalid value: -1');
    });
  });

  describe('delete', () => {
    it('in the foreground ends when all dependents are deleted', async () => {
      await ok('create -f -', boat(1));
      await own('a');
      await own('b');
      expect(await ok('delete boat first --cascade=foreground --timeout=25s')).toContain('"first" deleted');
      expect(await findObject(api, `${boats()}/first`)).toBeUndefined();
      expect(await findObject(api, `${configMaps()}/a`)).toBeUndefined();
      expect(await findObject(api, `${configMaps()}/b`)).toBeUndefined();
    });

    it('in the background deletes dependents later', async () => {
      await ok('create -f -', boat(1));
      await own('a');
      await ok('delete boat first');
      await awaitObject(api, configMaps(), 'a', isGone);
    });

    it('with orphans keeps dependents without an owner', async () => {
      await ok('create -f -', boat(1));
      await own('a');
      await ok('delete boat first --cascade=orphan --timeout=25s');
      const left = await awaitObject(api, configMaps(), 'a', (one) => !one?.metadata.ownerReferences?.length);
      expect(left?.metadata.name).toBe('a');
      expect(await findObject(api, `${boats()}/first`)).toBeUndefined();
    });

    it('waits for finalizers, and gives up after its timeout', async () => {
      await ok('create -f -', boat(1));
      await patch(`${boats()}/first`, { metadata: { finalizers: ['kubectl.example.com/hold'] } });
      const late = await run('delete boat first --timeout=1s');
      expect(late.code).toBe(1);
      expect(late.text).toContain('timed out waiting for the condition');
      const done = run('delete boat first --timeout=20s');
      await patch(`${boats()}/first`, { metadata: { finalizers: null } });
      expect((await done).text).not.toContain('timed out');
      expect(await findObject(api, `${boats()}/first`)).toBeUndefined();
    });

    it('changes nothing in a dry run of the server', async () => {
      await ok('create -f -', boat(1));
      expect(await ok('delete boat first --dry-run=server')).toContain('deleted (server dry run)');
      expect(await findObject(api, `${boats()}/first`)).toBeDefined();
    });

    it('deletes all objects of a kind, and a namespace with its objects', async () => {
      await ok('create -f -', `${boat(1)}---${boat(1, 'second')}`);
      await ok('delete boats --all');
      expect(await ok('get boats --ignore-not-found')).toBe('');
      await ok('create -f -', boat(1));
      await kubectl.ok(['delete', 'namespace', namespace, '--timeout=25s']);
      expect(await findObject(api, `/api/v1/namespaces/${namespace}`)).toBeUndefined();
    });
  });
});
