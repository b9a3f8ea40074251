import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { responseOf, type Harness, startHarness } from './forward-harness.fixture.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

const mib = 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'x');

/** Writes to a stream until it stops accepting data; resolves to the number of bytes. */
async function fill(to: Writable): Promise<number> {
  let written = 0;
  for (;;) {
    written += chunk.length;
    if (to.write(chunk)) continue;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), 500);
    to.once('drain', () => resolve(true));
    const drained = await promise;
    clearTimeout(timer);
    if (!drained) return written;
  }
}

/** Resolves when a stream is closed, for any reason. */
const closing = (stream: Duplex | IncomingMessage): Promise<void> =>
  new Promise((resolve) => void stream.once('close', () => resolve()));

describe('a body', () => {
  it('of any length passes in either direction with little memory', async () => {
    const length = 40 * mib;
    await harness.extension('long.example.com', async (req, res) => {
      res.writeHead(200);
      await pipeline(req, res);
    });
    const sent = harness.begin('/apis/long.example.com/v1/echoes', { method: 'POST' });
    let provided = 0;
    const upload = pipeline(function* () {
      for (; provided < length; provided += chunk.length) yield chunk;
    }, sent);
    let got = 0;
    let underWay = 0;
    for await (const piece of await responseOf(sent)) {
      got += (piece as Buffer).length;
      underWay = Math.max(underWay, provided - got);
    }
    await upload;
    expect(got).toBe(length);
    expect(underWay).toBeLessThan(16 * mib);
  });

  it('is read from the client no faster than the extension server reads it', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    await harness.extension('deaf.example.com', (req) => {
      req.pause();
      req.on('error', () => undefined);
      arrived.resolve(req);
    });
    const sent = harness.begin('/apis/deaf.example.com/v1/echoes', { method: 'POST' });
    sent.on('error', () => undefined);
    expect(await fill(sent)).toBeLessThan(32 * mib);
    const req = await arrived.promise;
    const closed = closing(req);
    req.resume();
    sent.destroy();
    await closed;
    expect(req.complete).toBe(false);
  });

  it('that the extension server rejects before its end gets the rejection', async () => {
    await harness.extension('full.example.com', (_req, res) => res.writeHead(413).end('too much'));
    const sent = harness.begin('/apis/full.example.com/v1/echoes', {
      method: 'POST',
      headers: { 'content-length': String(64 * mib) },
    });
    sent.on('error', () => undefined);
    sent.write(chunk);
    const response = await responseOf(sent);
    expect(response.statusCode).toBe(413);
    response.resume();
    sent.destroy();
  });
});

describe('a side that disconnects', () => {
  it('ends the request at the extension server if the client disconnects before the response', async () => {
    const arrived = Promise.withResolvers<IncomingMessage>();
    await harness.extension('pending.example.com', (req) => arrived.resolve(req));
    const sent = harness.begin('/apis/pending.example.com/v1/echoes');
    sent.on('error', () => undefined);
    sent.end();
    const req = await arrived.promise;
    const closed = closing(req.socket);
    sent.destroy();
    await closed;
  });

  it('breaks the stream at the client if the extension server disconnects', async () => {
    await harness.extension('going.example.com', (_req, res) => {
      res.writeHead(200).write('{"n":1}\n');
      setTimeout(() => res.destroy(), 50);
    });
    const sent = harness.begin('/apis/going.example.com/v1/echoes?watch=1');
    sent.end();
    const response = await responseOf(sent);
    await expect(pipeline(response, async (body) => void (await Array.fromAsync(body)))).rejects.toThrow(
      'aborted',
    );
  });
});

describe('a request', () => {
  it.each([
    ['GET', 2, 200],
    ['DELETE', 1, 503],
    ['POST', 1, 503],
  ])('%s on a kept connection that is already closed is sent %i times', async (method, times, status) => {
    const group = `stale-${method.toLowerCase()}.example.com`;
    let warm = false;
    let requested = 0;
    await harness.extension(group, (req, res) => {
      if (req.url?.endsWith('/warm')) {
        warm = true;
        return void res.end('{}');
      }
      requested++;
      if (warm) {
        warm = false;
        req.socket.destroy();
      } else res.end('{}');
    });
    const ask = async (name: string, as: string): Promise<number | undefined> => {
      const sent = harness.begin(`/apis/${group}/v1/${name}`, { method: as });
      sent.end();
      const response = await responseOf(sent);
      await response.resume().toArray();
      return response.statusCode;
    };
    await ask('warm', 'GET');
    expect(await ask('cold', method)).toBe(status);
    expect(requested).toBe(times);
  });
});

describe('an upgraded connection', () => {
  const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n';

  async function upgrade(group: string, serve: (socket: Duplex) => void): Promise<Duplex> {
    const server = await harness.extension(group, (_req, res) => res.end());
    server.on('upgrade', (_req: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => undefined);
      socket.write(switching);
      serve(socket);
    });
    const sent = harness.begin(`/apis/${group}/v1/namespaces/a/echoes/b/exec`, {
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': ['v4', 'v5'] },
    });
    sent.end();
    const [response, socket] = (await once(sent, 'upgrade')) as [IncomingMessage, Duplex];
    expect(response.headers.upgrade).toBe('SPDY/3.1');
    socket.on('error', () => undefined);
    return socket;
  }

  it('delivers what the extension server sent before it ended', async () => {
    const socket = await upgrade('last.example.com', (backend) => {
      for (let i = 0; i < 64; i++) backend.write(chunk);
      backend.end('bye');
    });
    const got = Buffer.concat((await socket.toArray()) as Buffer[]);
    expect(got.length).toBe(64 * chunk.length + 3);
    expect(got.toString('latin1', got.length - 3)).toBe('bye');
  });

  it('delivers what the client sent before it ended, and then ends', async () => {
    const whole = Promise.withResolvers<number>();
    const socket = await upgrade('first.example.com', (backend) => {
      let length = 0;
      backend.on('data', (piece: Buffer) => (length += piece.length));
      backend.once('end', () => whole.resolve(length));
    });
    for (let i = 0; i < 64; i++) socket.write(chunk);
    socket.resume();
    const closed = closing(socket);
    socket.end('bye');
    expect(await whole.promise).toBe(64 * chunk.length + 3);
    await closed;
  });

  it('is read no faster than the other side reads, in either direction', async () => {
    const started = Promise.withResolvers<Duplex>();
    const socket = await upgrade('held.example.com', (backend) => {
      backend.pause();
      started.resolve(backend);
    });
    socket.pause();
    const backend = await started.promise;
    const [there, back] = await Promise.all([fill(socket), fill(backend)]);
    expect(there).toBeLessThan(32 * mib);
    expect(back).toBeLessThan(32 * mib);
    const closed = closing(backend);
    backend.resume();
    socket.destroy();
    await closed;
  });
});

describe('an upgrade that fails', () => {
  it.each([
    ['HELLO\r\n\r\n', 503, 'malformed HTTP response "HELLO"\n'],
    ['', 503, 'unexpected EOF\n'],
    ['HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n', 503, 'invalid upgrade response: status code 302\n'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx', 503, 'invalid upgrade response: status code 200\n'],
    ['HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno', 403, 'no'],
  ])('with the response %j gets status %i', async (response, status, text) => {
    const group = `refused-${response.length}.example.com`;
    const server = await harness.extension(group, (_req, res) => res.end());
    server.on('upgrade', (_req: IncomingMessage, socket: Duplex) =>
      socket.on('error', () => undefined).end(response),
    );
    const sent = harness.begin(`/apis/${group}/v1/echoes`, {
      headers: { connection: 'Upgrade', upgrade: 'foo' },
    });
    sent.end();
    const got = await responseOf(sent);
    expect([got.statusCode, Buffer.concat(await got.toArray()).toString()]).toEqual([status, text]);
  });
});
