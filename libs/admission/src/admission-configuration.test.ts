import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPluginConfigurations } from './admission-configuration.ts';

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'admission-'))));
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string, isOn: (name: string) => boolean = () => true) {
  const file = join(folder, 'admission.yaml');
  await writeFile(file, text);
  return await readPluginConfigurations(file, isOn);
}

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n';
const plugin = (name: string, configuration: object) =>
  `${head}plugins: ${JSON.stringify([{ name, configuration }])}\n`;
const podSecurity = (more: object) =>
  plugin('PodSecurity', {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    ...more,
  });
const webhooks = (more: object) =>
  plugin('ValidatingAdmissionWebhook', {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'WebhookAdmissionConfiguration',
    ...more,
  });

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric " +
  "character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

describe('a configuration of admission', () => {
  it.each([
    [
      'of another version',
      'apiVersion: apiserver.config.k8s.io/v2\nkind: AdmissionConfiguration\n',
      'failed to read plugin config: no kind "AdmissionConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'with an unknown field',
      `${head}plugin: []\n`,
      'failed to read plugin config: strict decoding error: unknown field "plugin"',
    ],
    [
      'with invalid levels',
      podSecurity({ defaults: { enforce: 'bad', 'audit-version': 'x' } }),
      'failed to initialize admission plugin "PodSecurity": PodSecurity configuration error: ' +
        '[enforce: must be one of privileged, baseline, restricted, audit-version: must be "latest" or "v1.x"]',
    ],
    [
      'with exemptions that are invalid names',
      podSecurity({ exemptions: { namespaces: ['A', 'a', 'a'], usernames: [''] } }),
      `failed to initialize admission plugin "PodSecurity": PodSecurity invalid: [exemptions.namespaces[0]: Invalid value: "A": ${label}, ` +
        'exemptions.namespaces[2]: Duplicate value: "a", exemptions.usernames[0]: Invalid value: "": username must not be empty]',
    ],
    [
      'with a relative path of the kubeconfig',
      webhooks({ kubeConfigFile: 'rel/path' }),
      'couldn\'t init admission plugin "ValidatingAdmissionWebhook": kubeConfigFile: Invalid value: "rel/path": must be an absolute file path',
    ],
    [
      'with a kubeconfig that does not exist',
      webhooks({ kubeConfigFile: '/no/file' }),
      'couldn\'t init admission plugin "ValidatingAdmissionWebhook": stat /no/file: no such file or directory',
    ],
    [
      'of a plugin without configuration in Annex',
      plugin('ResourceQuota', {}),
      'couldn\'t init admission plugin "ResourceQuota": this server does not support a configuration of it',
    ],
  ])('%s is refused', async (_, text, why) => {
    await expect(read(text)).rejects.toThrow(`failed to apply admission: ${why}`);
  });

  it('is read for enabled plugins, from the file or from a referenced one', async () => {
    await writeFile(
      join(folder, 'pods.yaml'),
      'apiVersion: pod-security.admission.config.k8s.io/v1beta1\nkind: PodSecurityConfiguration\ndefaults: {warn: baseline}\n',
    );
    const text = `${head}plugins:\n- {name: PodSecurity, path: pods.yaml}\n`;
    expect((await read(text)).PodSecurity?.defaults.warn).toEqual({ level: 'baseline', version: Infinity });
    expect(await read(text, () => false)).toEqual({});
  });

  it('selects the credentials for webhooks by their names', async () => {
    const users = ['a.ns.svc:8443', '*.ns.svc', '*.example.com:8443', 'other'].map((name) => ({
      name,
      user: { token: name },
    }));
    const kubeConfigFile = join(folder, 'users.yaml');
    const context = { name: 'c', context: { user: 'other' } };
    await writeFile(kubeConfigFile, JSON.stringify({ users, contexts: [context], 'current-context': 'c' }));
    const credentials = (await read(webhooks({ kubeConfigFile }))).ValidatingAdmissionWebhook;
    const names = ['a.ns.svc:8443', 'a.ns.svc:443', 'b.ns.svc:8443', 'x.y.example.com:8443'];
    expect(names.map((name) => credentials?.(name)?.token)).toEqual([
      'a.ns.svc:8443',
      '*.ns.svc',
      'other',
      '*.example.com:8443',
    ]);
  });
});
