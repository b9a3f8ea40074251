import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import { createTestCA, requireTools, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { stringify } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { type Kubectl, kubectlOf } from './extension/kubectl.ts';
import { requireNamespaces, runInNamespace } from './konnectivity/namespace.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/socks5-proxy-access-api/

const suite = 'the API through annex socks';

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  const home = tempFolder('annex-socks-');
  const kubeconfig = join(home.path, 'proxied.kubeconfig');
  let annex: Runner;
  let proxy: RunningProcess;
  let proxied: Kubectl;
  let proxyUrl: string;
  beforeAll(async () => {
    annex = await startAnnex({ ephemeral: true });
    proxy = await startProcess(process.execPath, {
      args: [annexCommand, 'socks', '--port=0', `--kubeconfig=${annex.kubeconfig}`],
      until: /(socks5:\/\/\S+)/,
    });
    proxyUrl = proxy.ready?.[1] ?? '';
    writeFileSync(kubeconfig, await proxiedKubeconfig());
    proxied = kubectlOf(kubeconfig, home.path);
  });
  afterAll(async () => {
    await proxy.stop();
    await annex.stop();
    home[Symbol.dispose]();
  });

  /** The documented form of a kubeconfig, with a second cluster that has no proxy. */
  async function proxiedKubeconfig(): Promise<string> {
    const { server, ca = '', cert = '', key = '' } = await loadKubeconfig(annex.kubeconfig);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const cluster = { 'certificate-authority-data': base64(ca), server };
    const context = (name: string) => ({ name, context: { cluster: name, user: 'default' } });
    return stringify({
      apiVersion: 'v1',
      clusters: [
        { cluster: { ...cluster, 'proxy-url': proxyUrl }, name: 'default' },
        { cluster, name: 'direct' },
      ],
      contexts: [context('default'), context('direct')],
      'current-context': 'default',
      kind: 'Config',
      preferences: {},
      users: [
        {
          name: 'default',
          user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
        },
      ],
    });
  }

  const connections = () => proxy.lines.filter((line) => line.includes('connected')).length;

  it('SOC-005 SOC-006 SOC-008 requests go through the proxy of the cluster, and others directly', async () => {
    await proxied.ok(['get', 'pods']);
    expect(connections()).toBeGreaterThan(0);
    expect(proxy.lines.join('\n')).toContain(new URL(annex.url).host);
    const before = connections();
    await proxied.ok(['get', 'pods', '--context=direct']);
    expect(connections()).toBe(before);
    const client = new Client(await loadKubeconfig(kubeconfig));
    await client.json({ path: '/api/v1/namespaces/default/pods' });
    client.close();
    expect(connections()).toBeGreaterThan(before);
  });

  it.runIf(requireTools('a client that reaches only the proxy', 'unshare', 'ip') && requireNamespaces(suite))(
    'SOC-002 a client that reaches only the proxy reaches the server',
    async () => {
      const port = Number(new URL(proxyUrl).port);
      const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: home.path, KUBECACHEDIR: home.path };
      const inside = (...args: string[]) =>
        runInNamespace(home.path, { relayPort: port, to: port }, 'kubectl', args, env);
      expect(await inside('get', 'namespace', 'default', '-o', 'name')).toMatchObject({
        code: 0,
        text: expect.stringContaining('namespace/default') as string,
      });
      expect((await inside('get', 'pods', '--context=direct')).text).toContain('was refused');
    },
  );

  it('SOC-007 the server is verified through the proxy', async () => {
    const ca = join(home.path, 'other.crt');
    writeFileSync(ca, createTestCA('another').certificate);
    const { code, text } = await proxied.run(['get', 'pods', `--certificate-authority=${ca}`]);
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining('x509') as string });
  });

  it('SOC-007 names are resolved by the proxy, which refuses other destinations', async () => {
    for (const host of ['169.254.169.254:443', 'no-such-host.invalid:1', 'localhost:1', '127.0.0.1:1']) {
      expect((await proxied.run(['get', 'pods', `--server=https://${host}`])).code).toBe(1);
      expect(proxy.lines.join('\n')).toContain(`reason="no rule allows the destination" to=${host}`);
    }
  });

  it.each(['http/1.1', 'h2'] as const)('watches of the TypeScript client pass by %s', async (protocol) => {
    const client = new Client({ ...(await loadKubeconfig(annex.kubeconfig)), proxyUrl, protocol });
    const path = '/api/v1/namespaces/default/configmaps';
    const list = await client.json<{ metadata: { resourceVersion: string } }>({ path });
    const { resourceVersion } = list.metadata;
    const name = protocol === 'h2' ? 'by-h2' : 'by-http1';
    await client.json({ method: 'POST', path, body: { metadata: { name } } });
    for await (const event of client.watch(path, { resourceVersion })) {
      expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name } } });
      break;
    }
    client.close();
  });

  it('SOC-009 nothing is reached after the proxy has stopped', async () => {
    expect(await proxy.stop()).toBe(0);
    expect((await proxied.run(['get', 'pods'])).text).toMatch(/was refused|connection refused/);
  });
});
