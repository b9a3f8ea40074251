import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Attack, hostileRoot, startHostileExtension } from './hostile-extension.ts';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { openConnection } from './raw-connection.ts';
import { frame, frameTypes, preface } from './raw-http2.ts';

let server: HostileServer;
let extension: AsyncDisposable;
/** Bytes that the extension server has written of responses that never end. */
let written: number;

const mib = 1024 * 1024;
const lines = (count: number, line: string): string => `${line}\r\n`.repeat(count);
const okHead = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';
const writes =
  (text: string): Attack =>
  ({ socket }) =>
    void socket.write(text);

const attacks = new Map<string, Attack>([
  ['folded', writes(`${okHead}a: b\r\n${lines(100_000, ' c')}\r\nok`)],
  ['lines', writes(`${okHead}${lines(20_000, 'a:')}\r\nok`)],
  ['hints', writes(`HTTP/1.1 103 Early Hints\r\nLink: <a>${'; a=b=c'.repeat(100)}"\r\n\r\n${okHead}\r\nok`)],
  [
    'endless',
    ({ socket }) => {
      written = 0;
      const some = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1000);
      const writeMore = () => {
        do written += some.length;
        while (!socket.destroyed && socket.write(some));
      };
      socket.on('drain', writeMore);
      writeMore();
    },
  ],
]);

beforeAll(async () => {
  server = await startHostile();
  extension = await startHostileExtension(server, attacks);
});
afterAll(async () => {
  await extension[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
// After each case, the server serves other clients.
afterEach(async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
});

/** Returns the resident memory of all processes in bytes. */
const memory = (): number =>
  [...server.annex.pids().values()]
    .map((pid) => Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096)
    .reduce((sum, bytes) => sum + bytes, 0);

const configMaps = '/api/v1/namespaces/default/configmaps';
const request = (method: string, path: string, body = '', ...headers: string[]): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: annex',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
    '',
    body,
  ].join('\r\n');
const create = (name: string): string =>
  request('POST', configMaps, JSON.stringify({ metadata: { name, namespace: 'default' } }));

describe('an extension server that sends a response head', () => {
  it.each([
    ['of 100,000 folded lines', 'folded', 503],
    ['of 20,000 lines', 'lines', 503],
    ['after hints that take exponential time to check', 'hints', 200],
    ['never, but interim responses without end', 'endless', 503],
  ])('%s does not affect other clients', async (_, path, status) => {
    const response = server.ask({ path: `${hostileRoot}/${path}` });
    expect((await server.ask({ path: '/version' })).status).toBe(200);
    expect((await response).status).toBe(status);
  });

  it('of 20,000 lines to a client over HTTP/2 does not affect other clients', async () => {
    const { certificate: cert, key } = server.admin;
    const session = connectHttp2(server.annex.url, { cert, key, rejectUnauthorized: false });
    const [headers] = (await once(session.request({ ':path': `${hostileRoot}/lines` }), 'response')) as [
      Record<string, unknown>,
    ];
    session.destroy();
    expect(headers[':status']).toBe(503);
  });

  it('never, to a client that does not read, needs no memory', async () => {
    const before = memory();
    const sockets = Array.from({ length: 5 }, () => openConnection(server.annex.url, { as: server.admin }));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.once('secureConnect', () => socket.write(request('GET', `${hostileRoot}/endless`)));
    }
    // After the interim responses, the client receives 503.
    expect((await server.ask({ path: `${hostileRoot}/endless` })).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    expect(written).toBeLessThan(16 * mib);
    expect(memory() - before).toBeLessThan(100 * mib);
  });
});

describe('pipelined requests', () => {
  it('run in their order', async () => {
    const removal = (name: string) => request('DELETE', `${configMaps}/${name}`);
    const names = Array.from({ length: 10 }, (_, i) => `pipelined-${i}`);
    const { statuses } = await server.raw(names.map((name) => create(name) + removal(name)).join(''));
    expect(statuses).toEqual(names.flatMap(() => [201, 200]));
  });

  it('wait for the end of a watch', async () => {
    const watch = request('GET', `${configMaps}?watch=true&timeoutSeconds=1`);
    const socket = openConnection(server.annex.url, { as: server.admin });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write(watch + create('after-watch'));
    await once(socket, 'data');
    const { status } = await server.ask({ path: `${configMaps}/after-watch` });
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      text += chunk.toString('latin1');
      if (text.includes('HTTP/1.1 201 Created')) break;
    }
    expect(status).toBe(404);
  });

  it('that change the protocol end their connection alone', async () => {
    const upgrade = request('GET', '/version', '', 'Connection: upgrade', 'Upgrade: x').replace(
      'Content-Length: 0\r\n',
      '',
    );
    for (const path of ['/openapi/v2', '/readyz', `${configMaps}?watch=true`]) {
      const { closed } = await server.raw(request('GET', path) + upgrade, {
        as: server.credential('nobody'),
      });
      expect(closed).toBe(true);
    }
  });
});

describe('the header that names another user', () => {
  it.each([1001, 2001, 3001])('is never dropped as header %i', async (place) => {
    const head = ['GET /api/v1/namespaces/default/secrets HTTP/1.1', 'Host: annex', 'Connection: close'];
    while (head.length < place) head.push('a: b');
    const { statuses } = await server.raw([...head, 'Impersonate-User: nobody', '', ''].join('\r\n'));
    expect(statuses).toEqual([431]);
  });

  it('is honored as header 1,000 and refused twice', async () => {
    const head = ['GET /api/v1/namespaces/default/secrets HTTP/1.1', 'Host: annex', 'Connection: close'];
    const user = 'Impersonate-User: nobody';
    const others = Array.from({ length: 996 }, () => 'a: b');
    const one = await server.raw([...head, ...others, user, '', ''].join('\r\n'));
    const two = await server.raw([...head, user, ...others, 'Impersonate-User: admin', '', ''].join('\r\n'));
    expect([one.statuses, two.statuses]).toEqual([[403], [403]]);
  });
});

describe('connections without credentials', () => {
  // The limit: `--max-connections-per-address`.
  it('close the oldest connections of the same address only', async () => {
    const silent: Socket[] = [];
    for (let i = 0; i < 1_200; i++) {
      const socket = openConnection(server.annex.url, { plain: true });
      socket.on('error', () => undefined);
      silent.push(socket);
      if (i % 100 === 99) await once(socket, 'connect');
    }
    const [first, last] = [silent[0] as Socket, silent.at(-1) as Socket];
    first.resume();
    if (!first.closed) await once(first, 'close');
    expect((await server.ask({ path: '/version' })).status).toBe(200);
    expect(last.closed).toBe(false);
    for (const socket of silent) socket.destroy();
  });

  it.each([
    ['in chunks', 'Transfer-Encoding: chunked', '1\r\na\r\n'],
    ['of a length that is never reached', 'Content-Length: 2000000', 'a'],
  ])('cannot send a body %s to a rejected request without a time limit', async (_, header, piece) => {
    const socket = openConnection(server.annex.url);
    socket.on('error', () => undefined).resume();
    await once(socket, 'secureConnect');
    socket.write(`POST ${configMaps} HTTP/1.1\r\nHost: annex\r\n${header}\r\n\r\n`);
    const dripping = setInterval(() => socket.write(piece), 50);
    await once(socket, 'close');
    clearInterval(dripping);
  });

  it('over HTTP/2 end with the request, even if its body is incomplete', async () => {
    const session = connectHttp2(server.annex.url, { rejectUnauthorized: false });
    session.on('error', () => undefined);
    const stream = session.request({ ':method': 'POST', ':path': configMaps });
    stream.on('error', () => undefined).resume();
    const dripping = setInterval(() => stream.writable && stream.write('a'), 50);
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(403);
    await once(session, 'close');
    clearInterval(dripping);
  });
});

/** Frames that are cheap for their sender. */
const floods: [name: string, frames: Buffer][] = [
  ['pings', frame(frameTypes.ping, 0, 0, Buffer.alloc(8))],
  ['settings', frame(frameTypes.settings, 0, 0, Buffer.from('000300000064', 'hex'))],
  ['priorities', frame(frameTypes.priority, 0, 1, Buffer.from('0000000310', 'hex'))],
  ['continuations', frame(frameTypes.continuation, 0, 1, Buffer.alloc(0))],
  ['empty data', frame(frameTypes.data, 0, 1, Buffer.alloc(0))],
  ['window updates of 0', frame(frameTypes.windowUpdate, 0, 0, Buffer.alloc(4))],
  ['unknown frames', frame(0xf0, 0, 0, Buffer.alloc(100))],
];

/** Resolves to false if the connection is closed, or nothing is read from it for a while. */
function takesMore(socket: Socket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), 500);
  const onDrain = () => resolve(true);
  const onClose = () => resolve(false);
  socket.once('drain', onDrain).once('close', onClose);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.off('drain', onDrain).off('close', onClose);
  });
}

describe('a flood over HTTP/2 from a client that does not read', () => {
  it.each(floods)('of %s needs no memory', async (_, one) => {
    const before = memory();
    const socket = openConnection(server.annex.url, { protocol: 'h2' });
    socket.on('error', () => undefined).pause();
    await once(socket, 'secureConnect');
    // An incomplete request head.
    const head = frame(frameTypes.headers, 0, 1, Buffer.from('8287', 'hex'));
    const opening = one[3] === frameTypes.continuation ? head : Buffer.alloc(0);
    socket.write(Buffer.concat([preface, opening]));
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => one));
    for (let sent = 0; sent < 20 * mib; sent += many.length) {
      if (!socket.write(many) && !(await takesMore(socket))) break;
    }
    expect(await server.ask({ path: '/version' })).toMatchObject({ status: 200 });
    socket.destroy();
    expect(memory() - before).toBeLessThan(100 * mib);
  });
});
