import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createTestCA } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../client.ts';
import type { ClientConfig } from '../config.ts';
import { startHttpProxy, startSocksProxy } from './proxy-servers.fixture.ts';

const ca = createTestCA('ca');
const { certificate: cert, key } = ca.issue({ commonName: 'localhost', dnsNames: ['localhost'] });
const respond = (
  req: { httpVersion: string; headers: Record<string, unknown> },
  res: { end(text: string): unknown },
) =>
  res.end(
    JSON.stringify({ version: req.httpVersion, proxy: req.headers['proxy-authorization'] ?? 'unseen' }),
  );
const secure = createSecureServer({ cert, key, allowHTTP1: true }, respond as never);
const plain = createHttpServer(respond as never);
beforeAll(async () => {
  for (const server of [secure, plain]) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => [secure, plain].forEach((server) => server.close()));
/** A certificate for localhost of another CA. */
function servingOf(name: string) {
  const issued = createTestCA(name).issue({ commonName: 'localhost', dnsNames: ['localhost'] });
  return { cert: issued.certificate, key: issued.key };
}
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

/** Sends two requests at once and returns the first response, or the text of the error. */
async function sendThrough(proxyUrl: string, config: Partial<ClientConfig> = {}): Promise<unknown> {
  const server = `https://localhost:${portOf(secure)}`;
  const client = new Client({ server, ca: ca.certificate, proxyUrl, ...config });
  try {
    const path = '/a';
    const [response] = await Promise.all([client.send({ path }), client.send({ path })]);
    return JSON.parse(response.body.toString());
  } catch (error) {
    return (error as Error).message;
  } finally {
    client.close();
  }
}

describe.each(['http/1.1', 'h2'] as const)('a client by %s', (protocol) => {
  const served = { version: protocol === 'h2' ? '2.0' : '1.1', proxy: 'unseen' };

  it('reaches the server through a SOCKS5 proxy, which resolves the name', async () => {
    await using proxy = await startSocksProxy();
    for (const scheme of ['socks5', 'socks5h'])
      expect(await sendThrough(`${scheme}://127.0.0.1:${proxy.port}`, { protocol })).toEqual(served);
    expect(new Set(proxy.seen)).toEqual(new Set([`SOCKS 3 localhost:${portOf(secure)}`]));
  });

  it('signs in to a SOCKS5 proxy', async () => {
    await using proxy = await startSocksProxy({ credentials: 'jane:a b' });
    const at = `@127.0.0.1:${proxy.port}`;
    expect(await sendThrough(`socks5://jane:a%20b${at}`, { protocol })).toEqual(served);
    expect(await sendThrough(`socks5://jane:c${at}`, { protocol })).toBe('Socks5 Authentication failed');
  });

  it('reaches the server through an http proxy with credentials, which the server does not see', async () => {
    await using proxy = await startHttpProxy({ credentials: 'jane:a' });
    const at = `127.0.0.1:${proxy.port}`;
    expect(await sendThrough(`http://jane:a@${at}`, { protocol })).toEqual(served);
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT localhost:${portOf(secure)}`]));
    expect(await sendThrough(`http://${at}`, { protocol })).toContain('407 Proxy Authentication Required');
  });

  it('reaches the server through an https proxy whose certificate the CA of the server signed', async () => {
    await using proxy = await startHttpProxy({ tls: { cert, key } });
    expect(await sendThrough(`https://localhost:${proxy.port}`, { protocol })).toEqual(served);
    await using other = await startHttpProxy({ tls: servingOf('other') });
    expect(await sendThrough(`https://localhost:${other.port}`, { protocol })).toMatch(/certificate/);
  });

  it('verifies the server behind a proxy', async () => {
    await using proxy = await startSocksProxy();
    const url = `socks5://127.0.0.1:${proxy.port}`;
    const other = { protocol, ca: createTestCA('another').certificate };
    expect(await sendThrough(url, other)).toMatch(/certificate/);
    expect(await sendThrough(url, { protocol, tlsServerName: 'other.test' })).toContain('other.test');
  });

  it('reports a proxy that is away', async () => {
    const proxy = await startSocksProxy();
    await proxy[Symbol.asyncDispose]();
    expect(await sendThrough(`socks5://127.0.0.1:${proxy.port}`, { protocol })).toContain('ECONNREFUSED');
  });
});

it.each([
  ['an http proxy', 'http://jane:a@127.0.0.1', undefined],
  ['an https proxy, whose certificate is verified', 'https://jane:a@localhost', { cert, key }],
] as const)('sends plain requests to %s with the whole URL', async (_sentence, at, tls) => {
  await using proxy = await startHttpProxy(tls && { tls });
  const server = `http://127.0.0.1:${portOf(plain)}`;
  const url = `${at}:${proxy.port}`;
  expect(await sendThrough(url, { server })).toEqual({ version: '1.1', proxy: 'unseen' });
  expect(new Set(proxy.seen)).toEqual(new Set([`GET ${server}/a`]));
  if (tls)
    expect(await sendThrough(url, { server, ca: createTestCA('another').certificate })).toMatch(
      /certificate/,
    );
});
