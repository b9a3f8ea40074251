import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { issueServingCertificate, createCA } from '@annex/auth';
import { createLiveFiles, type LiveKeyPair, nullLogger, openKeyPair, systemClock } from '@annex/runtime';
import { createApiListener } from '@annex/server';
import { tempFolder } from '@annex/testkit';
import { expect, it } from 'vitest';

const names = (commonName: string) => ({ commonName, subjectAltNames: ['127.0.0.1'] });

/** A listener that uses the certificate of a key pair, and clients of it. */
async function listenWith(pair: LiveKeyPair, ca: string) {
  const listener = createApiListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: pair.current().cert,
    key: pair.current().key,
    clock: systemClock,
    steps: [{ name: 'answer', run: ({ res }) => void res.end('here') }],
  });
  pair.onChange(() => listener.renew(pair.current()));
  const port = await listener.start();
  const shown = async () => {
    const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
  const ask = () =>
    new Promise<TLSSocket>((resolve, reject) => {
      const responded = (res: IncomingMessage) => {
        const socket = res.socket as TLSSocket;
        res.resume().once('end', () => setImmediate(() => resolve(socket)));
      };
      request({ host: '127.0.0.1', port, agent }, responded).on('error', reject).end();
    });
  return { listener, shown, ask, agent };
}

it('a new certificate is used for new connections when its key matches; open connections continue', async () => {
  using folder = tempFolder('annex-key-pair-');
  const ca = await createCA('ca');
  const [first, second] = await Promise.all([
    issueServingCertificate(ca, names('first')),
    issueServingCertificate(ca, names('second')),
  ]);
  const [certFile, keyFile] = [join(folder.path, 'tls.crt'), join(folder.path, 'tls.key')];
  const write = ({ cert, key }: { cert?: string; key?: string }) => {
    if (cert) writeFileSync(certFile, cert);
    if (key) writeFileSync(keyFile, key);
  };
  write(first);
  const files = createLiveFiles(nullLogger, 10);
  const pair = await openKeyPair(files, certFile, keyFile);
  const { listener, shown, ask, agent } = await listenWith(pair, ca.cert);
  const kept = await ask();
  expect(await shown()).toBe('first');

  const changed = new Promise<void>((resolve) => {
    pair.onChange(resolve);
  });
  const half = await files.open(certFile);
  const seen = new Promise<void>((resolve) => {
    half.onChange(resolve);
  });
  write({ cert: second.cert });
  await seen;
  expect(pair.current()).toEqual(first);
  write({ key: second.key });
  await changed;
  expect(await shown()).toBe('second');
  expect(await ask()).toBe(kept);
  expect(kept.getPeerCertificate().subject.CN).toBe('first');
  agent.destroy();
  files.close();
  await listener.stop(0);
});

it('a key of another certificate is refused at the start', async () => {
  using folder = tempFolder('annex-key-pair-');
  const ca = await createCA('ca');
  const [one, other] = await Promise.all([
    issueServingCertificate(ca, names('one')),
    issueServingCertificate(ca, names('other')),
  ]);
  const [certFile, keyFile] = [join(folder.path, 'tls.crt'), join(folder.path, 'tls.key')];
  writeFileSync(certFile, one.cert);
  writeFileSync(keyFile, other.key);
  const files = createLiveFiles(nullLogger);
  await expect(openKeyPair(files, certFile, keyFile)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    message: `${keyFile} is not the key of ${certFile}`,
  });
  files.close();
});
