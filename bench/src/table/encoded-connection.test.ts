import { createSecureServer } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTestCA } from '@annex/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { EncodedConnection } from './encoded-connection.ts';

/** Starts a server that returns the method, the type and the body of each request, or as many bytes as its path says. */
async function connected(): Promise<EncodedConnection> {
  const ca = createTestCA('bench-ca');
  const { certificate, key } = ca.issue({ commonName: 'localhost', dnsNames: ['localhost'] });
  const server = createSecureServer({ cert: certificate, key }, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const length = Number(req.url.slice(1));
      const echo = `${req.method} ${req.headers['content-type']} ${Buffer.concat(chunks).toString()}`;
      res.writeHead(req.method === 'POST' ? 201 : 200).end(length > 0 ? Buffer.alloc(length) : echo);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = await EncodedConnection.open({
    server: `https://127.0.0.1:${port}`,
    ca: ca.certificate,
  });
  onTestFinished(() => {
    connection[Symbol.dispose]();
    server.close();
  });
  return connection;
}

test('a request with a body reaches the server, and its status is read', async () => {
  const connection = await connected();
  const request = { method: 'POST', path: '/', body: '{"a":1}', type: 'application/x' };
  const response = await connection.send(request, { keep: true });
  expect([response.status, response.body?.toString()]).toEqual([201, 'POST application/x {"a":1}']);
});

test('the length of a response of many frames is counted, also of concurrent ones', async () => {
  const connection = await connected();
  const lengths = [3_000_000, 17, 100_000];
  const responses = await Promise.all(
    lengths.map((length) => connection.send({ method: 'GET', path: `/${length}` })),
  );
  expect(responses.map(({ length }) => length)).toEqual(lengths);
});

test('many bodies wait for the window of the server', async () => {
  const connection = await connected();
  const request = { method: 'POST', path: '/', body: 'x'.repeat(16_000) };
  const responses = await Promise.all(Array.from({ length: 40 }, () => connection.send(request)));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 201));
});
