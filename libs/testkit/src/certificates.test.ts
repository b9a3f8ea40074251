import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestCA, loadTestCA } from './certificates.ts';
import { tempFolder } from './temp-folder.ts';

test('a client certificate names its user, groups and CA', () => {
  const ca = createTestCA('test');
  const { certificate } = ca.issue({ commonName: 'ann', organizations: ['dev', 'ops'] });
  const parsed = new X509Certificate(certificate);
  expect(parsed.subject.split('\n')).toEqual(['O=dev', 'O=ops', 'CN=ann']);
  expect(parsed.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
  expect(parsed.verify(new X509Certificate(createTestCA('wrong').certificate).publicKey)).toBe(true);
  expect(parsed.checkIssued(new X509Certificate(createTestCA('wrong').certificate))).toBe(false);
});

test('serial numbers have a valid encoding', () => {
  const ca = createTestCA('test');
  for (let i = 0; i < 32; i++) {
    const { serialNumber } = new X509Certificate(ca.issue({ commonName: 'x' }).certificate);
    expect(serialNumber).toMatch(/^40[0-9A-F]{30}$/);
  }
});

test('a CA on disk signs for both sides of a connection', async () => {
  using folder = tempFolder();
  const made = createTestCA('disk');
  writeFileSync(join(folder.path, 'ca.crt'), made.certificate);
  writeFileSync(join(folder.path, 'ca.key'), made.key);
  const ca = loadTestCA(folder.path);
  const serving = ca.issue({
    commonName: 'localhost',
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
  });
  const server = createServer(
    { cert: serving.certificate, key: serving.key, ca: ca.certificate, requestCert: true },
    (req, res) => {
      const socket = req.socket as TLSSocket;
      res.end(`${socket.authorized} ${String(socket.getPeerCertificate().subject.CN)}`);
    },
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const client = ca.issue({ commonName: 'ann' });
  const body = await new Promise<string>((resolve, reject) => {
    request(
      {
        port,
        host: '127.0.0.1',
        agent: false,
        cert: client.certificate,
        key: client.key,
        ca: ca.certificate,
      },
      (res) => res.setEncoding('utf8').on('data', resolve),
    )
      .on('error', reject)
      .end();
  });
  server.close();
  expect(body).toBe('true ann');
});
