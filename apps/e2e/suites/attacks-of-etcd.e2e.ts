import type { ServerHttp2Stream } from 'node:http2';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type EtcdAttack, type HostileEtcd, startHostileEtcd } from './hostile-etcd.ts';
import { type HostileServer, startHostileWith } from './hostile-server.ts';
import { patienceMs } from './patience.ts';

let etcd: HostileEtcd;
let server: HostileServer;
let cases = 0;

beforeAll(async () => {
  etcd = await startHostileEtcd();
  server = await startHostileWith({ env: { ANNEX_ETCD_SERVERS: etcd.url } });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await etcd[Symbol.asyncDispose]();
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const create = (name: string) =>
  server.ask({
    method: 'POST',
    path: configMaps,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
  });
const read = async (name: string) => (await server.ask({ path: `${configMaps}/${name}` })).status;

// No process has ended, and what was stored before and after an attack is served.
afterEach(async () => {
  const pids = server.annex.pids();
  etcd.set(undefined);
  const name = `after-${++cases}`;
  await vi.waitFor(
    async () => {
      expect([201, 409]).toContain((await create(name)).status);
      expect(await read(name)).toBe(200);
    },
    { timeout: patienceMs, interval: 200 },
  );
  expect(server.annex.pids()).toEqual(pids);
  expect(server.annex.lines().filter((line) => /uncaught|unhandled/i.test(line))).toEqual([]);
});

const grpc = { ':status': 200, 'content-type': 'application/grpc' };
const message = (bytes: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};
const responds =
  (bytes: Buffer): EtcdAttack =>
  (stream) => {
    stream.respond(grpc, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' })).end(bytes);
  };
const floods =
  (bytes: Buffer): EtcdAttack =>
  (stream) => {
    stream.respond(grpc);
    const more = () => {
      while (!stream.destroyed && stream.write(bytes));
    };
    stream.on('drain', more);
    more();
  };
const drips: EtcdAttack = (stream) => {
  stream.respond(grpc);
  const timer = setInterval(() => stream.write(Buffer.of(0)), 200);
  stream.on('close', () => clearInterval(timer));
};
const fails = (status: number) => (stream: ServerHttp2Stream) =>
  stream.respond(
    { ...grpc, 'grpc-status': String(status), 'grpc-message': 'x'.repeat(10_000) },
    { endStream: true },
  );

describe.each<[what: string, EtcdAttack]>([
  ['random bytes in each message', responds(message(Buffer.alloc(5000, 0xfe)))],
  ['messages without fields', responds(message(Buffer.alloc(0)))],
  ['no message', responds(Buffer.alloc(0))],
  ['bytes that are no messages', responds(Buffer.alloc(5000, 0xfe))],
  ['a message that announces 4 GiB', responds(Buffer.of(0, 0xff, 0xff, 0xff, 0xff, 1))],
  ['messages without end', floods(message(Buffer.alloc(0)))],
  [
    'a message without end',
    floods(Buffer.concat([Buffer.of(0, 0x3f, 0xff, 0xff, 0xff), Buffer.alloc(65_536)])),
  ],
  ['a response byte by byte', drips],
  ['resets', (stream) => stream.close(2)],
  ['an unknown status', fails(99)],
  ['the status of a full disk, with a long text', fails(8)],
  [
    'a page',
    (stream) => stream.respond({ ':status': 200, 'content-type': 'text/html' }, { endStream: true }),
  ],
  ['the end of each connection', (stream) => stream.session?.destroy()],
])('an etcd that sends %s', (_what, attack) => {
  it('fails writes, and ends no process', async () => {
    const before = etcd.attacked();
    etcd.set(attack);
    const { status } = await create('attacked');
    expect([500, 503, 504]).toContain(status);
    expect(etcd.attacked()).toBeGreaterThan(before);
    expect((await server.ask({ path: '/livez/ping' })).status).toBe(200);
  });
});

it('a value that is no object fails reads of it, and no other', async () => {
  const key = '/registry/configmaps/default/damaged';
  const revision = await etcd.store.create(key, Buffer.alloc(5000, 0xfe));
  expect((await create('beside')).status).toBe(201);
  expect(await read('damaged')).toBe(500);
  expect(await read('beside')).toBe(200);
  await etcd.store.delete(key, revision);
  await vi.waitFor(async () => expect(await read('damaged')).toBe(404), { timeout: patienceMs });
});
