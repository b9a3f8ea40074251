import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createTestCA, startConnectServer } from '@annex/testkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { textFetcher } from './fetch-text.ts';

const ca = createTestCA('ca');
const url = 'https://issuer.invalid/keys';
const closing: (() => unknown)[] = [];
let port: number;
beforeEach(async () => {
  const { certificate: cert, key } = ca.issue({ commonName: 'issuer', dnsNames: ['issuer.invalid'] });
  const issuer = createServer({ cert, key }, (request, response) => response.end(request.url));
  await once(issuer.listen(0, '127.0.0.1'), 'listening');
  ({ port } = issuer.address() as AddressInfo);
  closing.push(() => issuer.close());
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

it('an issuer is reached through the proxy of the environment', async () => {
  const proxy = await startConnectServer(port, {});
  closing.unshift(() => proxy[Symbol.asyncDispose]());
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
  const fetcher = textFetcher(ca.certificate);
  closing.unshift(() => fetcher.close());
  expect(await fetcher.get(url)).toMatchObject({ status: 200, text: '/keys' });
  expect(proxy.heads[0]).toContain('CONNECT issuer.invalid:443 ');
});

it('an issuer with an egress selector type is reached by its dialer', async () => {
  vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
  const dialed: object[] = [];
  const fetcher = textFetcher(ca.certificate, async (to) => {
    dialed.push(to);
    return await Promise.resolve(connect(port, '127.0.0.1'));
  });
  closing.unshift(() => fetcher.close());
  expect(await fetcher.get(url)).toMatchObject({ status: 200, text: '/keys' });
  expect(dialed).toEqual([{ host: 'issuer.invalid', port: 443 }]);
});
