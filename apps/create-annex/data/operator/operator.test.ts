import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type KubeObject, startAnnex, type TestAnnex } from '@annex/testing';
import { KubeConfig } from '@kubernetes/client-node';
import { runOperator } from './operator.ts';

interface Website extends KubeObject {
  spec: { html: string };
  status?: { published?: boolean; observedGeneration?: number };
}
interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

let annex: TestAnnex;
let stopOperator: () => Promise<void>;

before(async () => {
  annex = await startAnnex();
  for (const file of ['crd.yaml', 'permissions.yaml'])
    await annex.admin.apply(readFileSync(new URL(`manifests/${file}`, import.meta.url), 'utf8'));
  // The operator has the permissions of the manifests only.
  const config = new KubeConfig();
  config.loadFromString((await annex.serviceAccount('default', 'website-operator')).kubeconfig);
  stopOperator = await runOperator(config);
});
after(async () => {
  await stopOperator();
  await annex.stop();
});

const websites = () =>
  annex.admin.resource<Website>({
    apiVersion: 'example.com/v1',
    kind: 'Website',
    resource: 'websites',
    namespace: 'default',
  });
const configMaps = () =>
  annex.admin.resource<ConfigMap>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    resource: 'configmaps',
    namespace: 'default',
  });

test('a website is published in a ConfigMap', async () => {
  await websites().create({ metadata: { name: 'home' }, spec: { html: '<h1>Hello</h1>' } });
  await websites().waitFor('home', ({ status }) => status?.published === true);
  const { data } = await configMaps().get('home');
  assert.deepEqual(data, { 'index.html': '<h1>Hello</h1>' });
});

test('a change is published, too', async () => {
  await websites().create({ metadata: { name: 'news' }, spec: { html: 'old' } });
  await websites().waitFor('news', ({ status }) => status?.published === true);
  await websites().patch('news', { spec: { html: 'new' } });
  await configMaps().waitFor('news', ({ data }) => data?.['index.html'] === 'new');
});

test('the ConfigMap is deleted with its website', async () => {
  await websites().create({ metadata: { name: 'gone' }, spec: { html: 'x' } });
  await websites().waitFor('gone', ({ status }) => status?.published === true);
  await websites().delete('gone');
  await configMaps().waitUntilGone('gone');
});
