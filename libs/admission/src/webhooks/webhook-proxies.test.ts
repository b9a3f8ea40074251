import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type ConnectServer, createTestCA, startConnectServer } from '@annex/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebhookClient } from './webhook-client.ts';

const ca = createTestCA('ca');
const names = ['hook.invalid', 'hook.ns.svc'];
const caBundle = Buffer.from(ca.certificate).toString('base64');
const url = 'https://hook.invalid/a';
const service = { namespace: 'ns', name: 'hook', port: 8443 };
const unused = () => {
  throw new Error('the proxy resolves the name');
};

const closing: (() => unknown)[] = [];
let proxy: ConnectServer;
beforeEach(async () => {
  const { certificate: cert, key } = ca.issue({ commonName: 'hook', dnsNames: names });
  const webhook = createServer({ cert, key }, (request, response) => response.end(request.headers.host));
  await once(webhook.listen(0, '127.0.0.1'), 'listening');
  proxy = await startConnectServer((webhook.address() as AddressInfo).port, {});
  closing.push(
    () => proxy[Symbol.asyncDispose](),
    () => webhook.close(),
  );
  for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NO_PROXY', 'no_proxy'])
    vi.stubEnv(name, '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});

const post = (config: object): Promise<string> => {
  const client = new WebhookClient({ ...config, caBundle }, unused);
  closing.unshift(() => client.close());
  return client.post('{}');
};
const destinations = () => proxy.heads.map((head) => head.split(' ', 2)[1]);

describe('a proxy of the environment', () => {
  it.each([
    ['a webhook of a URL', { url }, 'hook.invalid', 'hook.invalid:443'],
    ['a webhook of a service', { service }, 'hook.ns.svc:8443', 'hook.ns.svc:8443'],
  ])('is used for %s, by its name', async (_, config, host, destination) => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    expect(await post(config)).toBe(host);
    expect(destinations()).toEqual([destination]);
  });

  it('may have its name in lower case', async () => {
    vi.stubEnv('https_proxy', `127.0.0.1:${proxy.port}`);
    expect(await post({ url })).toBe('hook.invalid');
  });

  it.each([
    ['that NO_PROXY excludes', { NO_PROXY: '.svc,hook.invalid' }, { url }],
    ['if only ALL_PROXY names one, as in Go', { HTTPS_PROXY: '' }, { url }],
  ])('is not used for a webhook %s', async (_, env, config) => {
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('ALL_PROXY', `http://127.0.0.1:${proxy.port}`);
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    await expect(post(config)).rejects.toThrow('hook.invalid');
    expect(proxy.heads).toEqual([]);
  });

  it('is not used where an egress selection applies', async () => {
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    const dialed: string[] = [];
    const dialerFor = (type: string) => (to: { host: string; port: number }) => {
      dialed.push(`${type} ${to.host}:${to.port}`);
      return Promise.reject(new Error('dialed'));
    };
    const egress = { dialerFor, hopTo: () => '' };
    const client = (config: object) =>
      new WebhookClient({ ...config, caBundle }, () => ({ host: '10.0.0.1', port: 1 }), {}, egress);
    await expect(client({ url }).post('{}')).rejects.toThrow('dialed');
    await expect(client({ service }).post('{}')).rejects.toThrow('dialed');
    expect(dialed).toEqual(['controlplane hook.invalid:443', 'cluster 10.0.0.1:1']);
  });
});
