import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, type ConnectionOptions, createServer } from 'node:tls';
import { createLiveFiles, nullLogger } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { TlsConfig } from './options.ts';
import { openPortTls } from './tls.ts';

const defaults: TlsConfig = { cipherSuites: [], tlsMinVersion: 'VersionTLS12' };
const first = createTestCA('first');
const second = createTestCA('second');
const serverOf = (ca: typeof first) => ca.issue({ commonName: 'server', dnsNames: ['localhost'] });
const clientOf = (ca: typeof first): ConnectionOptions => {
  const { certificate: cert, key } = ca.issue({ commonName: 'agent' });
  return { cert, key };
};

/** A port with certificates of the first CA, whose files can be replaced. */
async function openPort(config: Partial<TlsConfig> = {}) {
  const folder = tempFolder('annex-port-tls-');
  const write = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };
  const replace = (pair: { certificate: string; key: string }, ca: string) => ({
    cert: write('tls.crt', pair.certificate),
    key: write('tls.key', pair.key),
    ca: write('ca.crt', ca),
  });
  const files = createLiveFiles(nullLogger, 20);
  const paths = replace(serverOf(first), first.certificate);
  const tls = await openPortTls(files, { ...defaults, ...config }, paths);
  const server = createServer(tls.options, (socket) => void socket.end('accepted').on('error', () => {}));
  server.on('tlsClientError', () => {});
  tls.follow(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    files.close();
    server.close();
    folder[Symbol.dispose]();
  });
  const { port } = server.address() as AddressInfo;
  const greeting = async (options: ConnectionOptions): Promise<string> => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...options });
    let outcome = 'closed';
    socket.once('data', (data) => (outcome = String(data)));
    socket.once('error', (error: NodeJS.ErrnoException) => (outcome = error.code ?? error.message));
    await once(
      socket.once('end', () => socket.destroy()),
      'close',
    ).catch(() => once(socket, 'close'));
    return outcome;
  };
  return { replace, greeting };
}

test('a client needs a certificate of the CAs', async () => {
  const { greeting } = await openPort();
  const ca = first.certificate;
  expect(await greeting({ ca, ...clientOf(first) })).toBe('accepted');
  expect(await greeting({ ca })).not.toBe('accepted');
  expect(await greeting({ ca, ...clientOf(second) })).not.toBe('accepted');
});

test('changed certificates and CAs are used for new connections', async () => {
  const { greeting, replace } = await openPort();
  const ca = second.certificate;
  replace(serverOf(second), ca);
  await expect.poll(() => greeting({ ca, ...clientOf(second) }), { timeout: 10_000 }).toBe('accepted');
  expect(await greeting({ ca, ...clientOf(first) })).not.toBe('accepted');
});

test('changed files that are no certificates leave the previous ones in use', async () => {
  const { greeting, replace } = await openPort();
  replace({ certificate: 'damaged', key: 'damaged' }, 'damaged');
  // The files are read every 20 ms.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await greeting({ ca: first.certificate, ...clientOf(first) })).toBe('accepted');
});

test('the cipher suites are those of the option', async () => {
  const { greeting } = await openPort({ cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'] });
  const offering = (ciphers: string) =>
    greeting({ ca: first.certificate, ...clientOf(first), maxVersion: 'TLSv1.2', ciphers });
  expect(await offering('ECDHE-RSA-AES128-GCM-SHA256')).toBe('accepted');
  expect(await offering('ECDHE-RSA-AES256-GCM-SHA384')).not.toBe('accepted');
});
