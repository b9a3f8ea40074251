import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { Client } from '@annex/client';
import { createTestCA, tempFolder } from '@annex/testkit';
import { afterAll, expect, it } from 'vitest';
import { runAnnex } from './running-annex.fixture.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());

const ca = createTestCA('other');
const { certificate, key } = ca.issue({ commonName: 'own', ipAddresses: ['127.0.0.1'] });
const file = (name: string, content: string) => {
  const path = join(folder.path, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};

/** Returns the common name of the certificate that a client gets, and the version of TLS. */
async function presented(url: string): Promise<[name: unknown, version: string | null]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const found = [socket.getPeerCertificate().subject.CN, socket.getProtocol()] as [unknown, string | null];
  socket.destroy();
  return found;
}

it('--tls-cert-file is presented to clients, and the kubeconfig of the administrator still works', async () => {
  const args = [
    '--tls-cert-file',
    file('tls.crt', certificate),
    '--tls-private-key-file',
    file('tls.key', key),
  ];
  const annex = await runAnnex('--ephemeral', ...args);
  expect(await presented(annex.url)).toEqual(['own', 'TLSv1.3']);
  expect(await annex.admin.json({ path: '/version' })).toMatchObject({ major: '1' });
  const client = new Client({ server: annex.url, ca: ca.certificate });
  expect((await client.send({ path: '/healthz' })).status).toBe(200);
  client.close();
  await annex.stop();
});

it('--cert-dir has the certificate, and gets one if it is empty', async () => {
  file('apiserver.crt', certificate);
  file('apiserver.key', key);
  const annex = await runAnnex('--ephemeral', '--cert-dir', folder.path);
  expect((await presented(annex.url))[0]).toBe('own');
  await annex.stop();

  const empty = join(folder.path, 'new');
  const other = await runAnnex('--ephemeral', '--cert-dir', empty);
  expect((await presented(other.url))[0]).toBe('kube-apiserver');
  expect(readFileSync(join(empty, 'apiserver.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
  expect(existsSync(join(empty, 'apiserver.key'))).toBe(true);
  await other.stop();
});

it('--tls-min-version=VersionTLS13 refuses TLS 1.2', async () => {
  const annex = await runAnnex('--ephemeral', '--tls-min-version=VersionTLS13');
  const { hostname, port } = new URL(annex.url);
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false };
  const old = connect({ ...options, maxVersion: 'TLSv1.2' });
  await expect(once(old, 'secureConnect')).rejects.toThrow('protocol version');
  await annex.stop();
});
