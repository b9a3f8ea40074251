import { freePort, requireTools, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { type Kubectl, kubectlOf } from './extension/kubectl.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/http-proxy-access-api/

const suite = 'the API through kubectl proxy';

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  const home = tempFolder('annex-http-proxy-');
  let annex: Runner;
  let kubectl: Kubectl;
  beforeAll(async () => {
    annex = await startAnnex({ ephemeral: true });
    kubectl = kubectlOf(annex.kubeconfig, home.path);
  });
  afterAll(async () => {
    await annex.stop();
    home[Symbol.dispose]();
  });

  it('HTP-001 a deployment is created', async () => {
    const image = '--image=gcr.io/google-samples/hello-app:2.0';
    await kubectl.ok(['create', 'deployment', 'hello-app', image, '--port=8080']);
    const port = 'jsonpath={.spec.template.spec.containers[0].ports[0].containerPort}';
    expect(await kubectl.ok(['get', 'deployment', 'hello-app', '-o', port])).toBe('8080');
  });

  it.each([
    ['kubectl proxy', 'kubectl', []],
    ['annex proxy', process.execPath, [annexCommand]],
  ])(
    'HTP-002 HTP-003 HTP-004 HTP-005 HTP-006 pods are listed over plain HTTP, without credentials: %s',
    async (_, command, args) => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { generateName: 'hello-app-', labels: { app: 'hello-app' } },
        spec: { containers: [{ name: 'hello-app', image: 'gcr.io/google-samples/hello-app:2.0' }] },
      };
      await kubectl.ok(['create', '-f', '-'], JSON.stringify(pod));
      const port = await freePort();
      const env = { ...process.env, KUBECONFIG: annex.kubeconfig, HOME: home.path };
      const proxy = await startProcess(command, {
        args: [...args, 'proxy', `--port=${port}`],
        env,
        until: /Starting to serve on 127\.0\.0\.1:(\d+)/,
      });
      expect(proxy.ready?.[1]).toBe(String(port));
      expect((await fetch(`http://localhost:${port}/`)).status).toBe(200);
      const versions = await (await fetch(`http://localhost:${port}/api/`)).json();
      const serverAddress: unknown = expect.stringMatching(/^[^:/]+:\d+$/);
      expect(versions).toMatchObject({
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
      });
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/pods`);
      const list = (await response.json()) as { items: { metadata: Record<string, unknown> }[] };
      await proxy.stop();
      expect(list).toMatchObject({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: expect.stringMatching(/^\d+$/) as string },
      });
      expect(list.items[0]?.metadata).toMatchObject({
        name: expect.stringMatching(/^hello-app-\w{5}$/) as string,
        generateName: 'hello-app-',
        namespace: 'default',
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        resourceVersion: expect.stringMatching(/^\d+$/) as string,
        creationTimestamp: expect.stringMatching(/^20.*Z$/) as string,
        labels: { app: 'hello-app' },
      });
    },
  );
});
