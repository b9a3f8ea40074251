import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import { createTestCA, requireTools, type RunningProcess, startProcess, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { type Kubectl, kubectlOf } from './extension/kubectl.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/socks5-proxy-access-api/

const suite = 'the API through annex socks';

describe.runIf(requireTools(suite, 'kubectl'))(suite, () => {
  const home = tempFolder('annex-socks-');
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
    const kubeconfig = join(home.path, 'proxied.kubeconfig');
    copyFileSync(annex.kubeconfig, kubeconfig);
    proxied = kubectlOf(kubeconfig, home.path);
    await proxied.ok(['config', 'set-cluster', 'annex', `--proxy-url=${proxyUrl}`]);
  });
  afterAll(async () => {
    await proxy.stop();
    await annex.stop();
    home[Symbol.dispose]();
  });
  const connections = () => proxy.lines.filter((line) => line.includes('connected')).length;

  it('SOC-002 SOC-005 SOC-006 SOC-008 requests go through the proxy of the kubeconfig', async () => {
    await proxied.ok(['get', 'pods']);
    expect(connections()).toBeGreaterThan(0);
    expect(proxy.lines.join('\n')).toContain(new URL(annex.url).host);
    const before = connections();
    await kubectlOf(annex.kubeconfig, home.path).ok(['get', 'pods']);
    expect(connections()).toBe(before);
  });

  it('SOC-007 the server is verified through the proxy', async () => {
    const ca = join(home.path, 'other.crt');
    writeFileSync(ca, createTestCA('another').certificate);
    const { code, text } = await proxied.run(['get', 'pods', `--certificate-authority=${ca}`]);
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining('x509') as string });
  });

  it('other destinations are refused', async () => {
    for (const host of ['169.254.169.254:443', 'localhost:1', '127.0.0.1:1']) {
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
