import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createTestCA, tempFolder } from '@annex/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { Client } from './client.ts';
import { followTlsFiles } from './followed-config.ts';
import { followFiles, tokenFile } from './followed-files.ts';
import { loadKubeconfig } from './kubeconfig.ts';

const ca = createTestCA('ca');
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

/** A server that responds with the common name of the client; `/held` after it is released. */
async function serve() {
  const { certificate: cert, key } = ca.issue({ commonName: 'localhost', dnsNames: ['localhost'] });
  const held: (() => void)[] = [];
  const server = createSecureServer(
    { ca: ca.certificate, cert, key, allowHTTP1: true, requestCert: true },
    (request, response) => {
      const socket = (request.stream?.session?.socket ?? request.socket) as TLSSocket;
      const respond = () => response.end(String(socket.getPeerCertificate().subject.CN));
      if (request.url === '/held') held.push(respond);
      else respond();
    },
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, held, server };
}

/** A folder with a kubeconfig that names files. */
function kubeconfigWith(server: string) {
  const folder = tempFolder();
  closing.push(() => folder[Symbol.dispose]());
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  write('ca.crt', ca.certificate);
  const names = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };
  const config = {
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server, 'certificate-authority': 'ca.crt' } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: names }],
  };
  write('config', JSON.stringify(config));
  return { file: join(folder.path, 'config'), write };
}

describe.each(['http/1.1', 'h2'] as const)('a client by %s', (protocol) => {
  it('has the new certificate of its kubeconfig in the next request, and open requests end undisturbed', async () => {
    const { url, held, server } = await serve();
    const { file, write } = kubeconfigWith(url);
    const first = ca.issue({ commonName: 'first' });
    write('tls.crt', first.certificate);
    write('tls.key', first.key);
    const client = new Client({ ...(await loadKubeconfig(file)), protocol });
    closing.push(() => client.close());
    const get = async (path: string): Promise<string> => (await client.send({ path })).body.toString();
    expect(await get('/')).toBe('first');
    const open = get('/held');
    await expect.poll(() => held.length).toBe(1);

    const second = ca.issue({ commonName: 'second' });
    write('tls.key', 'no key');
    write('tls.crt', second.certificate);
    expect(await get('/')).toBe('first');
    write('tls.key', second.key);
    expect(await get('/')).toBe('second');
    held[0]?.();
    expect(await open).toBe('first');
    const connections = () =>
      new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections).toBe(1);
  });
});

it('a CA that is replaced is trusted', async () => {
  const { url } = await serve();
  const { file, write } = kubeconfigWith(url);
  const { certificate, key } = ca.issue({ commonName: 'first' });
  write('tls.crt', certificate);
  write('tls.key', key);
  write('ca.crt', createTestCA('other').certificate);
  const client = new Client(await loadKubeconfig(file));
  closing.push(() => client.close());
  await expect(client.send({ path: '/' })).rejects.toThrow();
  write('ca.crt', 'no certificate');
  await expect(client.send({ path: '/' })).rejects.toThrow();
  write('ca.crt', ca.certificate);
  expect((await client.send({ path: '/' })).status).toBe(200);
});

it('a configuration without files is the same for ever', () => {
  const config = { server: 'https://a' };
  expect(followTlsFiles(config)()).toBe(config);
});

it('a token is the previous one while its file is missing', () => {
  using folder = tempFolder();
  const file = join(folder.path, 'token');
  expect(tokenFile(file)).toThrow('ENOENT');
  writeFileSync(file, 'one');
  let isRead = true;
  const follow = followFiles([file, join(folder.path, 'other')], () => {
    if (!isRead) throw new Error('not readable');
    return 'content';
  });
  expect(follow()).toBe('content');
  isRead = false;
  writeFileSync(file, 'three');
  expect(follow()).toBe('content');
});
