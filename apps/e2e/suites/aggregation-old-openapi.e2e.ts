import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Client, loadKubeconfig } from '@annex/client';
import {
  apiServiceManifest,
  createTestCA,
  externalServiceManifest,
  findKubectls,
  tempFolder,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { kubectlOf } from './extension/kubectl.ts';
import { patienceMs } from './patience.ts';

const group = 'old.example.com';
const openApi = {
  swagger: '2.0',
  info: { title: 'Old', version: 'v1' },
  paths: {
    [`/apis/${group}/v1/namespaces/{namespace}/boats`]: {
      get: {
        produces: ['application/json'],
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/io.old.Boat' } } },
        'x-kubernetes-action': 'list',
        'x-kubernetes-group-version-kind': { group, version: 'v1', kind: 'Boat' },
      },
    },
  },
  definitions: {
    'io.old.Boat': {
      type: 'object',
      description: 'Boat floats.',
      required: ['length'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
        length: { type: 'integer', description: 'In feet.' },
      },
      'x-kubernetes-group-version-kind': [{ group, version: 'v1', kind: 'Boat' }],
    },
    // Differs from the definition of the same name in other documents.
    'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': {
      type: 'object',
      properties: { name: { type: 'string', description: 'What it is called.' } },
    },
  },
};
const responses: Record<string, object> = {
  '/openapi/v2': openApi,
  [`/apis/${group}/v1`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/v1`,
    resources: [
      { name: 'boats', singularName: 'boat', namespaced: true, kind: 'Boat', verbs: ['list', 'create'] },
    ],
  },
};

/** Starts an extension API server from before OpenAPI v3 and aggregated discovery. */
async function startOldServer(annex: Client) {
  const ca = createTestCA('old-ca');
  const { certificate, key } = ca.issue({ commonName: 'old', dnsNames: ['old.default.svc'] });
  const seen: string[] = [];
  const server = createServer({ cert: certificate, key }, ({ method = '', url = '' }, res) => {
    const [path = ''] = url.split('?');
    seen.push(`${method} ${path}`);
    const body = Object.hasOwn(responses, path) ? responses[path] : undefined;
    res.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const manifest = apiServiceManifest({ group, service: 'old', port, ca: ca.certificate });
  const post = (path: string, body: object) => annex.json({ method: 'POST', path, body });
  await post('/api/v1/namespaces/default/services', externalServiceManifest('old'));
  await post('/apis/apiregistration.k8s.io/v1/apiservices', manifest);
  return { seen, close: () => (server.closeAllConnections(), server.close()) };
}

const kubectls = (await findKubectls()).filter(({ version }) => ['1.27', '1.33'].includes(version));

describe.runIf(kubectls.length > 0)('an extension server with OpenAPI v2 only', () => {
  let annex: Runner;
  let api: Client;
  let old: Awaited<ReturnType<typeof startOldServer>>;
  const home = tempFolder('annex-kubectl-');

  beforeAll(async () => {
    annex = await startAnnex({ ephemeral: true });
    api = new Client(await loadKubeconfig(annex.kubeconfig));
    old = await startOldServer(api);
    const index = async () => (await api.send({ path: '/openapi/v3' })).body.toString();
    await vi.waitUntil(async () => (await index()).includes(`apis/${group}/v1`), { timeout: patienceMs });
  });
  afterAll(async () => {
    old.close();
    api.close();
    await annex.stop();
    home[Symbol.dispose]();
  });

  describe.each(kubectls)('kubectl $version', ({ path, version }) => {
    const kubectl = () => kubectlOf(annex.kubeconfig, `${home.path}/${version}`, path);

    it('explains its kinds', async () => {
      expect(await kubectl().ok(['explain', 'boats'])).toContain('Boat floats.');
      expect(await kubectl().ok(['explain', 'boats.metadata.name'])).toContain('What it is called.');
    });

    it('validates objects with its OpenAPI document, and sends no invalid object', async () => {
      const boat = `apiVersion: ${group}/v1\nkind: Boat\nmetadata: { name: a }\nlength: long\n`;
      const { code, text } = await kubectl().run(['create', '-f', '-'], boat);
      expect([code, text]).toEqual([1, expect.stringContaining('invalid type for io.old.Boat.length')]);
      expect(old.seen.filter((one) => one.startsWith('POST'))).toEqual([]);
    });
  });
});
