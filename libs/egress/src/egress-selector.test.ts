import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { afterAll, describe, expect, it } from 'vitest';
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

  const typeError = 'json: cannot unmarshal number into Go struct field';
  it.each([
    [
      'a protocol that is a number',
      selection('cluster', '{proxyProtocol: 5}'),
      `${typeError} Connection.egressSelections.connection.proxyProtocol of type v1beta1.ProtocolType`,
    ],
    [
      'a version that is a number',
      '{apiVersion: 5, kind: EgressSelectorConfiguration}',
      `couldn't get version/kind; json parse error: ${typeError} .apiVersion of type string`,
    ],
    ['a version of three parts', '{apiVersion: a/b/c, kind: Pod}', 'unexpected GroupVersion string: a/b/c'],
    [
      'KON-002 the kind of another file',
      '{apiVersion: apiserver.config.k8s.io/v1, kind: TracingConfiguration}',
      'unexpected config type: apiserver.config.k8s.io/v1, Kind=TracingConfiguration',
    ],
    [
      'the internal version and a field',
      'apiVersion: apiserver.k8s.io/__internal\nkind: EgressSelectorConfiguration\negressSelections: []',
      'strict decoding error: unknown field "egressSelections"',
    ],
    [
      'an unknown kind of the internal version',
      'apiVersion: apiserver.k8s.io/__internal\nkind: Foo',
      'no kind "Foo" is registered for the internal version of group "apiserver.k8s.io" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'another kind of the internal version',
      'apiVersion: apiserver.k8s.io/__internal\nkind: AdmissionConfiguration',
      'unexpected config type: apiserver.k8s.io/__internal, Kind=AdmissionConfiguration',
    ],
    [
      'JSON that does not end',
      '{"apiVersion":"apiserver.k8s.io/v1beta1"',
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    ['YAML that does not end', 'kind: a\nb: {c\n', "yaml: line 2: did not find expected ',' or '}'"],
  ])('with %s is refused as by kube-apiserver', async (_, config, message) => {
    await expect(createEgressSelector(config, createMetrics())).rejects.toThrow(
      `failed to read egress selector config: ${message}`,
    );
  });

  describe('with files', () => {
    const { path, [Symbol.dispose]: remove } = tempFolder();
    afterAll(remove);
    const ca = createTestCA('ca');
    const { certificate, key } = ca.issue({ commonName: 'a' });
    const contents = { 'a.crt': certificate, 'a.key': key, 'b.key': ca.key, none: 'none' };
    for (const [name, text] of Object.entries(contents)) writeFileSync(join(path, name), text);
    const pair = (cert: string, key: string): string =>
      `failed to read key pair ${path}/${cert} & ${path}/${key}, got`;
    it.each([
      [
        'a key of another certificate',
        '',
        'a.crt',
        'b.key',
        `${pair('a.crt', 'b.key')} tls: private key does not match public key`,
      ],
      [
        'no certificate',
        '',
        'none',
        'a.key',
        `${pair('none', 'a.key')} tls: failed to find any PEM data in certificate input`,
      ],
      [
        'no key',
        '',
        'a.crt',
        'none',
        `${pair('a.crt', 'none')} tls: failed to find any PEM data in key input`,
      ],
      [
        'a key instead of a certificate',
        '',
        'a.key',
        'a.key',
        `${pair('a.key', 'a.key')} tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched`,
      ],
      [
        'a certificate instead of a key',
        '',
        'a.crt',
        'a.crt',
        `${pair('a.crt', 'a.crt')} tls: found a certificate rather than a key in the PEM for the private key`,
      ],
      ['a folder', '', '', 'a.key', `${pair('', 'a.key')} read ${path}/: is a directory`],
      ['a bundle without a CA', 'none', 'a.crt', 'a.key', 'failed to append CA cert to the cert pool'],
    ])(
      'of %s is refused with the reason of kube-apiserver',
      async (_, bundle, clientCert, clientKey, message) => {
        const caBundle = bundle && `, caBundle: "${path}/${bundle}"`;
        const tlsConfig = `{clientCert: "${path}/${clientCert}", clientKey: "${path}/${clientKey}"${caBundle}}`;
        const config = selection(
          'cluster',
          `{proxyProtocol: HTTPConnect, transport: {tcp: {url: "https://a", tlsConfig: ${tlsConfig}}}}`,
        );
        await expect(createEgressSelector(config, createMetrics())).rejects.toThrow(
          `failed to setup egress selector: failed to create dialer for egressSelection "cluster": ${message}`,
        );
      },
    );

    it('of a proxy server whose URL is invalid is refused with the reason of kube-apiserver', async () => {
      const tlsConfig = `{clientCert: "${path}/a.crt", clientKey: "${path}/a.key"}`;
      const config = selection(
        'cluster',
        `{proxyProtocol: HTTPConnect, transport: {tcp: {url: "https://a:b", tlsConfig: ${tlsConfig}}}}`,
      );
      await expect(createEgressSelector(config, createMetrics())).rejects.toThrow(
        'invalid proxy server url "https://a:b": parse "https://a:b": invalid port ":b" after host',
      );
    });
  });

  it('of the internal version selects nothing, as in kube-apiserver', async () => {
    const text = 'apiVersion: apiserver.config.k8s.io/__internal\nkind: EgressSelectorConfiguration';
    const selector = await createEgressSelector(text, createMetrics());
    expect(selector.dialerFor('cluster')).toBeUndefined();
  });

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
