import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { dialedStream } from './dialed-stream.ts';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** Both ends of a connection. */
async function pair(): Promise<[near: Socket, far: Socket]> {
  const server = createServer({ allowHalfOpen: true });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const near = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const [[far]] = (await Promise.all([once(server, 'connection'), once(near, 'connect')])) as [
    [Socket],
    unknown,
  ];
  return [near, far.on('error', () => undefined)];
}

describe('a stream of a connection that is being opened', () => {
  it('sends what was written before, and ends with it', async () => {
    const opening = Promise.withResolvers<Duplex>();
    const stream = dialedStream(opening.promise);
    stream.write('early ');
    const [near, far] = await pair();
    opening.resolve(near);
    stream.end('late');
    expect(await text(far)).toBe('early late');
    far.end('response');
    expect(await text(stream)).toBe('response');
  });

  it('fails with the reason if the connection is not opened', async () => {
    const stream = dialedStream(Promise.reject(new Error('No agent available')));
    stream.write('x');
    await expect(once(stream, 'close')).rejects.toThrow('No agent available');
  });

  it('closes a connection that is opened after its end', async () => {
    const opening = Promise.withResolvers<Duplex>();
    const stream = dialedStream(opening.promise);
    stream.destroy();
    const [near] = await pair();
    const closed = new Promise((resolve) => near.once('close', resolve));
    opening.resolve(near);
    await closed;
    expect(stream.closed).toBe(true);
  });

  it('fails with the error of its connection', async () => {
    const [near] = await pair();
    const stream = dialedStream(Promise.resolve(near));
    const failed = once(stream, 'error');
    setImmediate(() => near.destroy(new Error('broken')));
    expect(String(await failed)).toBe('Error: broken');
  });

  it('pauses the connection while nobody reads', async () => {
    const [near, far] = await pair();
    const stream = dialedStream(Promise.resolve(near));
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const chunks = 512;
    let sent = 0;
    Readable.from(
      (function* () {
        for (; sent < chunks; sent++) yield chunk;
      })(),
    ).pipe(far);
    await once(stream, 'readable');
    // More than the buffers of the kernel hold.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(sent).toBeLessThan(chunks);
    expect((await buffer(stream)).length).toBe(chunks * chunk.length);
  });
});
