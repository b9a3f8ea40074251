import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { createTestCA, tempFolder, type TestCA } from '@annex/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { tlsServer } from './proxy-connection.ts';

const [first, second] = [createTestCA('first'), createTestCA('second')];

/** Files of a client whose proxy server has certificates of both CAs by turns. */
async function setUp() {
  const folder = tempFolder();
  const write = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const replace = (ca: TestCA, keyOf = ca) => ({
    caBundle: write('ca.crt', ca.certificate),
    clientCert: write('tls.crt', ca.issue({ commonName: `client of ${ca === first ? 1 : 2}` }).certificate),
    clientKey: write('tls.key', keyOf === ca ? ca.issue({ commonName: 'client' }).key : 'damaged'),
  });
  const seen: string[] = [];
  const contextOf = (ca: TestCA) => {
    const { certificate: cert, key } = ca.issue({ commonName: 'proxy', dnsNames: ['proxy.example'] });
    return { cert, key, ca: [first.certificate, second.certificate] };
  };
  const server = createServer({ ...contextOf(first), requestCert: true }, (socket: TLSSocket) => {
    seen.push(String(socket.getPeerCertificate().subject.CN));
    socket.on('error', () => undefined).end();
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy = tlsServer(url, { ...replace(first), tlsServerName: 'proxy.example' });
  onTestFinished(() => {
    server.close();
    folder[Symbol.dispose]();
  });
  return {
    replace,
    serveBy: (ca: TestCA) => server.setSecureContext(contextOf(ca)),
    async dial(): Promise<string | undefined> {
      const socket = await proxy.open(AbortSignal.timeout(10_000));
      await once(socket.resume(), 'close');
      return seen.pop();
    },
  };
}

test('changed certificates and CAs are used for the next connection', async () => {
  const { dial, replace, serveBy } = await setUp();
  expect(await dial()).toBe('client of 1');
  replace(second);
  serveBy(second);
  expect(await dial()).toBe('client of 2');
  serveBy(first);
  await expect(dial()).rejects.toThrow('self-signed certificate in certificate chain');
});

test('files that are being replaced leave the previous certificates in use', async () => {
  const { dial, replace } = await setUp();
  replace(second, first);
  expect(await dial()).toBe('client of 1');
  replace(first);
  expect(await dial()).toBe('client of 1');
});

test.each([
  ['a port that is too large', 'https://127.0.0.1:65536', 'dial tcp: address 65536: invalid port'],
  [
    'a port of an IPv6 address that is too large',
    'https://[::1]:70000',
    'dial tcp: address 70000: invalid port',
  ],
  ['no address', 'https://', 'dial tcp: missing address'],
])('%s is an error of each dial, as in Go', async (_what, url, message) => {
  using folder = tempFolder();
  const { certificate, key } = first.issue({ commonName: 'client' });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const files = { clientCert: write('crt', certificate), clientKey: write('key', key) };
  const proxy = tlsServer(url, { ...files, caBundle: '', tlsServerName: '' });
  await expect(proxy.open(AbortSignal.timeout(10_000))).rejects.toThrow(message);
});
