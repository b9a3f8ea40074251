import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOptions } from '@annex/runtime';
import { tempFolder } from '@annex/testkit';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { makePki } from './pki.ts';
import { pkiConflicts, pkiOptions } from './pki-options.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

const parse = (...argv: string[]) => parseOptions(pkiOptions, argv, {}, pkiConflicts);

function configOf(...argv: string[]) {
  const parsed = parse(`--data-dir=${folder.path}`, ...argv);
  if (parsed.kind !== 'config') throw new Error('no configuration');
  return parsed.config;
}

const read = (...path: string[]) => readFileSync(join(folder.path, ...path), 'utf8');
const certificate = (name: string) => new X509Certificate(read('pki', `${name}.crt`));

describe('annex pki', () => {
  it('creates kubeadm’s files, those of etcd, and a serving certificate for each app', async () => {
    const made = await makePki(configOf('--apps=core-api,discovery'));
    expect(made).toEqual([
      'admin',
      'apiserver',
      'ca',
      'controller-manager',
      'core-api',
      'discovery',
      'etcd/ca',
      'etcd/client',
      'etcd/server',
      'fake-nodes',
      'front-proxy-ca',
      'front-proxy-client',
      'konnectivity/agent',
      'konnectivity/ca',
      'konnectivity/server',
      'kube-scheduler',
      'sa',
    ]);
    expect(readdirSync(join(folder.path, 'pki', 'etcd')).sort()).toEqual(
      ['ca', 'client', 'server'].flatMap((name) => [`${name}.crt`, `${name}.key`]),
    );
    const app = certificate('core-api');
    expect(app.verify(certificate('ca').publicKey)).toBe(true);
    expect(app.subjectAltName).toBe(
      'DNS:core-api, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect(certificate('apiserver').checkHost('front-proxy')).toBe('front-proxy');
    const server = certificate('etcd/server');
    expect(server.verify(certificate('etcd/ca').publicKey)).toBe(true);
    expect(server.checkHost('object-storage')).toBe('object-storage');
    expect(certificate('controller-manager').subject).toBe(
      'O=system:masters\nCN=system:kube-controller-manager',
    );
    expect(read('admin.kubeconfig')).toContain('server: "https://127.0.0.1:6443"');
    expect(certificate('fake-nodes').subject).toBe('CN=annex:fake-nodes');
    expect(certificate('kube-scheduler').subject).toBe('CN=system:kube-scheduler');
    for (const name of ['controllers', 'fake-nodes', 'scheduler'])
      expect(read(`${name}.kubeconfig`)).toContain('server: "https://front-proxy:6443"');
  });

  it('creates only missing files', async () => {
    const before = read('pki', 'core-api.crt');
    expect(await makePki(configOf('--apps=core-api,crd-registry'))).toEqual(['crd-registry']);
    expect(read('pki', 'core-api.crt')).toBe(before);
  });

  it('issues certificates again that do not contain a server name', async () => {
    expect(await makePki(configOf('--apps=core-api', '--etcd-subject-alt-names=etcd-0'))).toEqual([
      'etcd/server',
    ]);
  });
});

describe('annex pki --service-keys', () => {
  const inside = (...path: string[]) => join(folder.path, 'services', ...path);

  it('copies no CA key and no administrator kubeconfig to a service, and the token key to signers only', async () => {
    await makePki(configOf('--service-keys'));
    const holders = (file: string) => readdirSync(inside()).filter((name) => existsSync(inside(name, file)));
    expect(holders('pki/ca.key')).toEqual([]);
    expect(holders('pki/front-proxy-ca.key')).toEqual([]);
    expect(holders('pki/etcd/ca.key')).toEqual([]);
    expect(holders('pki/admin.key')).toEqual([]);
    expect(holders('admin.kubeconfig')).toEqual([]);
    expect(holders('pki/sa.key')).toEqual(['controllers', 'core-api']);
    expect(holders('controllers.kubeconfig')).toEqual(['controllers']);
    expect(holders('pki/front-proxy-client.key')).toEqual(['discovery', 'front-proxy']);
  });

  it('removes other files, and replaces an outdated copy', async () => {
    writeFileSync(inside('core-api', 'pki', 'ca.key'), 'secret');
    writeFileSync(inside('core-api', 'pki', 'core-api.crt'), 'expired');
    await makePki(configOf('--service-keys'));
    expect(existsSync(inside('core-api', 'pki', 'ca.key'))).toBe(false);
    expect(read('services', 'core-api', 'pki', 'core-api.crt')).toBe(read('pki', 'core-api.crt'));
    expect(statSync(inside('core-api', 'pki', 'core-api.crt')).mode & 0o777).toBe(0o600);
  });
});

describe('files of annex pki', () => {
  const umask = process.umask();
  afterEach(() => void process.umask(umask));

  it('are readable by their owner only, with any umask; certificates and public keys are in a private directory', async () => {
    using fresh = tempFolder();
    process.umask(0);
    const dataDir = join(fresh.path, 'data');
    await makePki({ ...configOf('--service-keys'), dataDir });
    const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    const modes = entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return { path, directory: entry.isDirectory(), mode: statSync(path).mode & 0o777 };
    });
    const isPublic = (path: string) => path.startsWith(join(dataDir, 'pki')) && /\.(crt|pub)$/.test(path);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(modes.length).toBeGreaterThan(60);
    for (const { path, directory, mode } of modes)
      expect(mode, path).toBe(directory ? 0o700 : isPublic(path) ? 0o644 : 0o600);
  });
});

describe('its options', () => {
  it.each([
    ['a URL without TLS', ['--server=http://a'], ['http://a is not an https URL']],
    ['an app with the name of a CA', ['--apps=ca'], ['--apps: ca cannot be the name of an app']],
    [
      'copies for services without their certificates',
      ['--service-keys', '--apps=core-api'],
      ['--service-keys requires --apps=core-api,crd-registry,authorization,discovery,controllers,scheduler'],
    ],
    ['a path as an app', ['--apps=../x'], ['--apps: ../x cannot be the name of an app']],
  ])('refuse %s', (_name, argv, messages) => {
    const parsed = parse(...argv);
    expect(parsed.kind === 'errors' && parsed.errors.map((error) => error.message)).toEqual(messages);
  });
});
