import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import type { Dial, DialAddress } from '@annex/runtime';
import { createTestCA } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../memory-store.ts';
import { createEtcdStore } from './create-etcd-store.ts';
import { Relay } from './relay.ts';
import { type RunningEtcdServer, startEtcdServer } from './start-etcd-server.ts';

const ca = createTestCA('etcd-ca');
const hidden = 'etcd.invalid';
const serving = ca.issue({ commonName: 'etcd', dnsNames: [hidden] });
const client = ca.issue({ commonName: 'apiserver-etcd-client' });
const tls = { ca: ca.certificate, cert: client.certificate, key: client.key };

describe('an etcd server behind a dialer', () => {
  let server: RunningEtcdServer;
  const served = createMemoryStore();
  beforeAll(async () => {
    const { certificate: cert, key } = serving;
    server = await startEtcdServer(served, {
      listen: ['https://127.0.0.1:0'],
      cert,
      key,
      clientCa: ca.certificate,
    });
  });
  afterAll(async () => {
    await server.stop();
    await served.close();
  });

  it('is called by its name, which is verified', async () => {
    const dialed: DialAddress[] = [];
    const dial: Dial = (to) => {
      dialed.push(to);
      return Promise.resolve(connect(Number(new URL(server.urls[0] ?? '').port), '127.0.0.1'));
    };
    const store = await createEtcdStore({ servers: [`https://${hidden}:2379`], ...tls, dial });
    await store.create('/a', Buffer.from('{}'));
    expect((await store.get('/a')).entry?.value).toEqual(Buffer.from('{}'));
    expect(dialed[0]).toEqual({ host: hidden, port: 2379 });
    await store.close();
    const other = { servers: ['https://other.invalid:2379'], ...tls, dial, timeoutMilliseconds: 500 };
    const refused = await createEtcdStore(other);
    await expect(refused.get('/a')).rejects.toMatchObject({ code: 'timedOut' });
    await refused.close();
  });

  it('that is not reached is reported with the reason of the dialer', async () => {
    const dial: Dial = () => Promise.reject(new Error('No agent available'));
    const servers = [`https://${hidden}:2379`];
    const store = await createEtcdStore({ servers, ...tls, dial, timeoutMilliseconds: 500 });
    await expect(store.get('/a')).rejects.toThrow('No agent available');
    await store.close();
  });
});

it('a closed relay leaves no folder behind', () => {
  const relay = new Relay(() => Promise.reject(new Error('not dialed')), { host: hidden, port: 1 });
  const folder = dirname(relay.path);
  expect(existsSync(folder)).toBe(true);
  relay.close();
  expect(existsSync(folder)).toBe(false);
});
