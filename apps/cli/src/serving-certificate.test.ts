import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import { once } from 'node:events';
import { Client } from '@annex/client';
import { createTestCA, tempFolder } from '@annex/testkit';
import { loopbackServerName } from '@annex/process';
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
async function presented(url: string, servername = ''): Promise<[name: unknown, version: string | null]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), servername, rejectUnauthorized: false });
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

it('--tls-sni-cert-key is presented to clients that send its name', async () => {
  const named = ca.issue({ commonName: 'named', dnsNames: ['api.example.com'] });
  const pair = `${file('named.crt', named.certificate)},${file('named.key', named.key)}`;
  const annex = await runAnnex('--ephemeral', `--tls-sni-cert-key=${pair}`);
  const names = ['api.example.com', 'other.example.com', ''].map(
    async (name) => (await presented(annex.url, name))[0],
  );
  expect(await Promise.all(names)).toEqual(['named', 'kube-apiserver', 'kube-apiserver']);
  await annex.stop();
});

it('HTTP/2 is negotiated with a named certificate, also after a request for another key share', async () => {
  const annex = await runAnnex('--ephemeral', '--cert-dir', folder.path, '--tls-curve-preferences=23');
  const { hostname, port } = new URL(annex.url);
  const options = { host: hostname, port: Number(port), rejectUnauthorized: false };
  const socket = connect({ ...options, servername: loopbackServerName, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  expect([socket.alpnProtocol, socket.getPeerCertificate().subject.CN]).toEqual(['h2', 'kube-apiserver']);
  socket.destroy();
  await annex.stop();
});

it('--tls-cipher-suites and --tls-curve-preferences are those of connections', async () => {
  const suites = 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384';
  const flags = [`--tls-cipher-suites=${suites}`, '--tls-curve-preferences=23'];
  const annex = await runAnnex('--ephemeral', ...flags);
  const { hostname, port } = new URL(annex.url);
  const negotiated = async (options: ConnectionOptions) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    const { standardName } = socket.getCipher();
    socket.destroy();
    return standardName;
  };
  const old = { maxVersion: 'TLSv1.2' } as const;
  expect(await negotiated({ ...old, ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).toBe(
    'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
  );
  await expect(negotiated({ ...old, ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' })).rejects.toThrow('handshake');
  expect(await negotiated({ ecdhCurve: 'P-256' })).toMatch(/^TLS_AES/);
  await expect(negotiated({ ecdhCurve: 'P-384' })).rejects.toThrow('handshake');
  await annex.stop();
});
