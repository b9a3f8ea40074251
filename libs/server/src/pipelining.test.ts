import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { issueServingCertificate, createCA } from '@annex/auth';
import { systemClock } from '@annex/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RequestContext } from '@annex/kinds';
import { type Listener, readBody } from '@annex/http';
import { createApiListener } from './api-listener.ts';

let listener: Listener;
let port: number;
/** The events, in order. */
let events: string[];
let held: RequestContext[];
let arrived: PromiseWithResolvers<void>;

beforeAll(async () => {
  const ca = await createCA('ca');
  const names = { commonName: 'a', subjectAltNames: ['127.0.0.1'] };
  const { cert, key } = await issueServingCertificate(ca, names);
  listener = createApiListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: cert,
    key,
    clock: systemClock,
    upgrades: true,
    steps: [{ name: 'respond', run: respond }],
  });
  port = await listener.start();
});
afterAll(() => listener.stop(0));

/** Responds to `/held` on request of the test, and to others after a few turns, to later requests earlier. */
async function respond(request: RequestContext): Promise<void> {
  const { req, res } = request;
  const name = (req.url ?? '').slice(1);
  events.push(`begin ${name}`);
  const body = await readBody(request);
  if (name === 'held') {
    held.push(request);
    arrived.resolve();
    return;
  }
  if (name === 'large') res.write('large:'.padEnd(16 * 1024 * 1024, '.'));
  for (let turns = 20 - events.length; turns > 0; turns--) await setImmediate();
  events.push(`end ${name}`);
  res.end(`${name}:${body.toString()};`);
}

async function dial(): Promise<TLSSocket> {
  events = [];
  held = [];
  arrived = Promise.withResolvers();
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  return socket;
}

const get = (name: string, ...headers: string[]): string =>
  [`GET /${name} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
const post = (name: string, body: string): string =>
  `POST /${name} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Resolves to all bytes until the server closes the connection. */
async function restOf(socket: TLSSocket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'close');
  return text;
}

const bodiesOf = (text: string): string[] => text.match(/\w*:\w*;/g) ?? [];

describe('pipelined requests', () => {
  it('begin one after the other, each after the previous response', async () => {
    const socket = await dial();
    const names = ['a', 'b', 'c'];
    socket.write(names.map((name) => post(name, `${name}body`)).join('') + get('last', 'Connection: close'));
    expect(bodiesOf(await restOf(socket))).toEqual(['a:abody;', 'b:bbody;', 'c:cbody;', 'last:;']);
    expect(events).toEqual([...names, 'last'].flatMap((name) => [`begin ${name}`, `end ${name}`]));
  });

  // The limit: maxWaitingRequests.
  it('are all served if thousands wait for the first one', async () => {
    const socket = await dial();
    const names = Array.from({ length: 3_000 }, (_, i) => `n${i}`);
    socket.write(get('held') + names.map((name) => get(name)).join('') + get('last', 'Connection: close'));
    await arrived.promise;
    expect(events).toEqual(['begin held']);
    held[0]!.res.end('held:;');
    expect(bodiesOf(await restOf(socket))).toEqual(['held', ...names, 'last'].map((name) => `${name}:;`));
  });

  it('wait in bounded memory for a running request', async () => {
    const socket = await dial();
    socket.write(get('held'));
    await arrived.promise;
    // Writes until the connection is congested.
    const more = get('more', `Padding: ${'x'.repeat(200)}`).repeat(1_000);
    let written = 0;
    while (socket.write(more) || (await drained(socket))) written += more.length;
    expect(written).toBeLessThan(32 * 1024 * 1024);
    expect(events).toEqual(['begin held']);
    const response = once(socket, 'data');
    held[0]!.res.end('held:;');
    await response;
    socket.destroy();
  });

  it('are read completely if they are large, and the client has not read the large response before them', async () => {
    const socket = await dial();
    socket.write(get('large'));
    await once(socket, 'readable');
    const body = 'b'.repeat(600_000);
    socket.write(post('a', body) + get('last', 'Connection: close'));
    expect(bodiesOf(await restOf(socket))).toEqual(['large:;', `a:${body};`, 'last:;']);
  });

  it('do not begin after the client has disconnected', async () => {
    const socket = await dial();
    socket.write(get('held') + get('next'));
    await arrived.promise;
    const closed = once(held[0]!.res as ServerResponse, 'close');
    socket.destroy();
    await closed;
    await setImmediate();
    expect(events).not.toContain('begin next');
  });

  it('do not begin if the previous response closes the connection', async () => {
    const socket = await dial();
    socket.write(get('last', 'Connection: close') + get('next'));
    await restOf(socket);
    expect(events).not.toContain('begin next');
  });

  it('that upgrade the protocol close only their connection', async () => {
    const socket = await dial();
    const closed = once(socket, 'close');
    socket.resume();
    socket.write(get('held') + get('next') + get('upgraded', 'Connection: upgrade', 'Upgrade: x'));
    await closed;
    expect(events).not.toContain('begin upgraded');
    const other = await dial();
    other.write(get('last', 'Connection: close'));
    expect(bodiesOf(await restOf(other))).toEqual(['last:;']);
  });
});

/** Returns false if the connection accepts no data for a while. */
function drained(socket: TLSSocket): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), 300);
  socket.once('drain', () => resolve(true));
  return promise.finally(() => clearTimeout(timer));
}
