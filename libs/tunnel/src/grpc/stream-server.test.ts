import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { acceptStream } from './accept-stream.ts';
import { connectSession } from './sessions.ts';
import { createStreamServer, type StreamServerOptions } from './stream-server.ts';

async function serve(options: Partial<StreamServerOptions>): Promise<() => ClientHttp2Session> {
  const server: Server = createStreamServer({
    tls: undefined,
    maxStreams: 10,
    maxConnections: 10,
    firstStreamMs: 10_000,
    stream: (stream) => void acceptStream(stream),
    ...options,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sessions: ClientHttp2Session[] = [];
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return () => {
    const session = connectSession(() => connect(port, '127.0.0.1'));
    sessions.push(session.on('error', () => undefined));
    return session;
  };
}

const opened = (session: ClientHttp2Session): ClientHttp2Stream =>
  session.request({ ':method': 'POST' }, { endStream: false }).on('error', () => undefined);

test('a stream beyond maxStreams is refused, and the others continue', async () => {
  const session = (await serve({ maxStreams: 2 }))();
  await once(session, 'connect');
  // They are sent before the client knows the limit.
  const streams = [opened(session), opened(session), opened(session)];
  const [refused] = await once(streams[2]!, 'error');
  expect(refused).toMatchObject({ message: 'Stream closed with error code NGHTTP2_REFUSED_STREAM' });
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
});

test('a connection beyond maxConnections is closed', async () => {
  const dial = await serve({ maxConnections: 1 });
  const first = dial();
  await once(first, 'remoteSettings');
  await once(dial(), 'close');
  expect(first.destroyed).toBe(false);
});

test('a connection without a stream is closed after firstStreamMs, one with a stream is not', async () => {
  const dial = await serve({ firstStreamMs: 50 });
  const used = dial();
  await once(opened(used), 'response');
  await once(dial(), 'close');
  expect(used.destroyed).toBe(false);
});
