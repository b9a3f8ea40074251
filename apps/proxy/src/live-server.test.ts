import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { listen, nullLogger } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { expect, test } from 'vitest';
import { openServer } from './live-server.ts';
import { createProxyServer } from './proxy-server.ts';

/** A server that responds with its name, and switches to a protocol that echoes bytes. */
async function startNamed(name: string) {
  const server = createServer((_request, response) => void response.end(name));
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    socket.pipe(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const kubeconfig = (server: string, cluster: object = {}): string =>
  JSON.stringify({
    'current-context': 'a',
    clusters: [{ name: 'a', cluster: { server, ...cluster } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: {} }],
  });

test('a changed kubeconfig applies to the next request; connections continue, and an invalid one changes nothing', async () => {
  using first = await startNamed('first');
  using second = await startNamed('second');
  using folder = tempFolder();
  const file = join(folder.path, 'config');
  writeFileSync(file, kubeconfig(first.url));
  const warnings: string[] = [];
  const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };
  const server = await openServer({ kubeconfig: file, context: undefined, log, intervalMs: 5 });
  const app = createProxyServer({ server: () => server.current(), filter: undefined, apiPrefix: '/', log });
  await app.ready();
  const { address } = await listen(app.server, { host: '127.0.0.1', port: 0 });
  const get = async () => await (await fetch(`http://${address}/a`)).text();
  expect(await get()).toBe('first');
  const upgraded = connect(Number(address.split(':')[1]), '127.0.0.1');
  upgraded.write('GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  await once(upgraded, 'data');

  writeFileSync(file, kubeconfig(second.url));
  await expect.poll(get).toBe('second');
  upgraded.write('still first');
  expect(String(await once(upgraded, 'data'))).toBe('still first');
  writeFileSync(file, '{"clusters": 1}');
  await expect.poll(() => warnings.length).toBe(1);
  expect(await get()).toBe('second');
  upgraded.destroy();
  server.close();
  await app.close();
});

test('a changed CA of the kubeconfig is in the server of the next request', async () => {
  using folder = tempFolder();
  const [file, caFile] = [join(folder.path, 'config'), join(folder.path, 'ca.crt')];
  const [first, second] = [createTestCA('first').certificate, createTestCA('second').certificate];
  writeFileSync(caFile, first);
  writeFileSync(file, kubeconfig('https://a', { 'certificate-authority': 'ca.crt' }));
  const server = await openServer({ kubeconfig: file, context: undefined, log: nullLogger });
  const before = server.current();
  expect(before.ca).toBe(first);
  expect(server.current()).toBe(before);
  writeFileSync(caFile, second);
  expect(server.current().ca).toBe(second);
  server.close();
});
