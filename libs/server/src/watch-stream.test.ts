import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { expect, test } from 'vitest';
import { http2Messages } from '@annex/http';
import { WatchStream } from './watch-stream.ts';

const mebibyte = Buffer.alloc(1024 * 1024, 'a');

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

/** Counts the bytes of a response; also resolves if it is aborted. */
const protocols: Record<string, { serve(handler: Handler): Server; read(url: string): Promise<number> }> = {
  'HTTP/1.1': {
    serve: (handler) => createServer(handler),
    read: async (url) => {
      try {
        const [message] = (await once(get(url), 'response')) as [IncomingMessage];
        return await count(message);
      } catch {
        return 0;
      }
    },
  },
  'HTTP/2': {
    serve: (handler) => createHttp2Server(http2Messages, handler as never),
    read: async (url) => {
      const session = connect(url);
      const length = await count(session.request({ ':path': '/' }));
      session.close();
      return length;
    },
  },
};

async function count(stream: NodeJS.ReadableStream): Promise<number> {
  let length = 0;
  stream.on('data', (chunk: Buffer) => (length += chunk.length));
  stream.on('error', () => undefined);
  await new Promise((resolve) => stream.once('close', resolve));
  return length;
}

async function responseTo(
  protocol: string,
  response: (stream: WatchStream) => Promise<void>,
): Promise<number> {
  const { serve, read } = protocols[protocol] as (typeof protocols)[string];
  const server = serve((_, res) => void response(new WatchStream(res, 4 * mebibyte.length)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const length = await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  return length;
}

test.each(Object.keys(protocols))(
  '%s: a client that reads receives more than the limit',
  async (protocol) => {
    const length = await responseTo(protocol, async (stream) => {
      for (let i = 0; i < 12; i++) {
        stream.write(mebibyte);
        await stream.drained();
      }
      stream.end();
    });
    expect(length).toBe(12 * mebibyte.length);
  },
);

// The limit: maxWatcherBytes.
test.each(Object.keys(protocols))(
  '%s: a client with more unread bytes than the limit is disconnected',
  async (protocol) => {
    const length = await responseTo(protocol, async (stream) => {
      for (let i = 0; i < 12; i++) stream.write(mebibyte);
      await stream.closed;
    });
    expect(length).toBeLessThan(12 * mebibyte.length);
  },
);

test.each(Object.keys(protocols))('%s: the events of one turn are one write, in order', async (protocol) => {
  const { serve, read } = protocols[protocol] as (typeof protocols)[string];
  const written: string[] = [];
  const server = serve((_, res) => {
    const write = res.write.bind(res) as (bytes: Buffer) => boolean;
    res.write = (bytes: Buffer) => {
      written.push(bytes.toString());
      return write(bytes);
    };
    const stream = new WatchStream(res, mebibyte.length);
    for (const event of ['a', 'b', 'c']) stream.write(Buffer.from(event));
    setImmediate(() => {
      stream.write(Buffer.from('d'));
      stream.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const length = await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
  expect([written, length]).toEqual([['abc', 'd'], 4]);
});
