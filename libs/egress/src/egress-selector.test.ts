import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { createEgressSelector, openEgressSelector } from './egress-selector.ts';

interface Recorded {
  name: string;
  config: string;
  result: 'accepted' | 'refused' | 'crash';
  message?: string;
}

const recorded = JSON.parse(
  readFileSync(new URL('../testdata/configurations.json', import.meta.url), 'utf8'),
) as Recorded[];

const selection = (name: string, connection: string): string =>
  `{apiVersion: apiserver.k8s.io/v1beta1, kind: EgressSelectorConfiguration, egressSelections: [{name: ${name}, connection: ${connection}}]}`;

describe('a configuration', () => {
  it.each(recorded.filter(({ result }) => result !== 'crash'))(
    '$name is $result as by kube-apiserver',
    async ({ config, message, result }) => {
      const opened = createEgressSelector(config, createMetrics());
      if (result === 'accepted') await expect(opened).resolves.toBeDefined();
      else await expect(opened).rejects.toHaveProperty('message', message);
    },
  );

  it('of a proxy server without TLS, which kube-apiserver does not survive, is refused', async () => {
    const [{ config = '' } = {}] = recorded.filter(({ result }) => result === 'crash');
    await expect(createEgressSelector(config, createMetrics())).rejects.toThrow(
      'failed to validate egress selector configuration: service.connection.url: Invalid value: "http://127.0.0.1:27000": connections to the proxy server must use TLS: https://',
    );
  });

  it.each([
    ['cluster', 'cluster'],
    ['CLUSTER', 'cluster'],
    ['master', 'controlplane'],
    ['ControlPlane', 'controlplane'],
    ['etcd', 'etcd'],
  ] as const)('with the name %s is for %s', async (name, type) => {
    const text = selection(name, '{proxyProtocol: GRPC, transport: {uds: {udsName: /s}}}');
    const selector = await createEgressSelector(text, createMetrics());
    expect(selector.hopTo(type)).toBe('GRPC over /s');
    const others = (['cluster', 'controlplane', 'etcd'] as const).filter((other) => other !== type);
    expect(others.map((other) => selector.dialerFor(other))).toEqual([undefined, undefined]);
    selector.close();
  });

  it('whose selections are direct has no dialers', async () => {
    const selector = await createEgressSelector(
      selection('cluster', '{proxyProtocol: Direct}'),
      createMetrics(),
    );
    expect([selector.dialerFor('cluster'), selector.hopTo('cluster')]).toEqual([undefined, undefined]);
  });

  it('whose key does not belong to its certificate is refused', async () => {
    using folder = tempFolder();
    const ca = createTestCA('ca');
    const one = ca.issue({ commonName: 'a' });
    writeFileSync(join(folder.path, 'a.crt'), one.certificate);
    writeFileSync(join(folder.path, 'b.key'), ca.key);
    writeFileSync(
      join(folder.path, 'config'),
      selection(
        'cluster',
        `{proxyProtocol: HTTPConnect, transport: {tcp: {url: "https://a", tlsConfig: {clientCert: ${folder.path}/a.crt, clientKey: ${folder.path}/b.key}}}}`,
      ),
    );
    const opened = openEgressSelector(join(folder.path, 'config'), createMetrics());
    await expect(opened).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('--egress-selector-config-file') as string,
    });
  });
});
