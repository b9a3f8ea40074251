import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createTestCA, tempFolder } from '@annex/testkit';
import { acceptStream, createStreamServer } from '@annex/tunnel';
import { expect, onTestFinished, test } from 'vitest';
import { connectServer } from './connect-server.ts';

const [ca, otherCA] = [createTestCA('konnectivity-ca'), createTestCA('other-ca')];

/** A server whose certificate has the name `server`; resolves to its address, and the number of streams that reached it. */
async function startServer(clientCA?: string) {
  const { certificate: cert, key } = ca.issue({ commonName: 'server', dnsNames: ['server'] });
  let streams = 0;
  const server = createStreamServer({
    tls: { cert, key, ...(clientCA === undefined ? {} : { ca: clientCA, requestCert: true }) },
    maxStreams: 10,
    maxConnections: 10,
    firstStreamMs: 60_000,
    stream(stream) {
      streams++;
      acceptStream(stream, { metadata: { serverid: 'a', servercount: '1' } }).start({
        packet: () => undefined,
        closed: () => undefined,
      });
    },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, streams: () => streams };
}

const identityOf = (caFile: string) => ({
  id: 'agent',
  identifiers: '',
  caFile,
  certFile: undefined as string | undefined,
  keyFile: undefined as string | undefined,
  tokenFile: undefined,
  alpnProtocols: [],
});

test('a server that refuses the certificate of the agent is reported', async () => {
  using folder = tempFolder();
  const write = (name: string, text: string): string => {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  };
  const { port, streams } = await startServer(ca.certificate);
  const refused = otherCA.issue({ commonName: 'agent' });
  const identity = {
    ...identityOf(write('ca.crt', ca.certificate)),
    certFile: write('agent.crt', refused.certificate),
    keyFile: write('agent.key', refused.key),
  };
  const connected = connectServer({ host: '127.0.0.1', port, name: 'server' }, identity);
  await expect(connected).rejects.toThrow(/does it trust the certificate of the agent\?|ECONNRESET/);
  expect(streams()).toBe(0);
});

test('a server that requires a certificate of the agent is reported in plain words', async () => {
  using folder = tempFolder();
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, ca.certificate);
  const { port, streams } = await startServer(ca.certificate);
  const connected = connectServer({ host: '127.0.0.1', port, name: 'server' }, identityOf(caFile));
  // The connection may be gone before the alert is read.
  await expect(connected).rejects.toThrow(
    /^remote error: tls: certificate required$|does it trust the certificate of the agent\?|ECONNRESET|EPIPE/,
  );
  expect(streams()).toBe(0);
});

test.each([
  ['KON-031 a server with a certificate of the CA is connected', ca, 'server', undefined],
  ['KON-031 a server with a certificate of another CA gets no stream', otherCA, 'server', /certificate/],
  ['a server whose certificate has another name gets no stream', ca, 'localhost', /altnames/],
])('%s', async (_sentence, trusted, name, failure) => {
  const folder = tempFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, trusted.certificate);
  const { port, streams } = await startServer();
  const connected = connectServer({ host: '127.0.0.1', port, name }, identityOf(caFile));
  if (failure !== undefined) {
    await expect(connected).rejects.toThrow(failure);
    return expect(streams()).toBe(0);
  }
  const { serverId, session } = await connected;
  session.destroy();
  expect(serverId).toBe('a');
});
