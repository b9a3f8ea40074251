import { once } from 'node:events';
import { constants } from 'node:http2';
import { type Duplex, duplexPair } from 'node:stream';
import type { FuzzTarget } from '@annex/testkit';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { createServer } from './listener.ts';
import { bodyStream } from './request-body.ts';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const [data, headers, reset, settings, ping, goAway, windowUpdate, continuation] = [
  0, 1, 3, 4, 6, 7, 8, 9,
] as const;
const [endStream, ack, endHeaders, padded] = [1, 1, 4, 8] as const;

function frame(type: number, flags: number, stream: number, content: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}

/** A header block of HPACK literals, which are neither indexed nor compressed. */
const block = (...fields: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([name, value]) => [
      Buffer.of(0, name.length),
      Buffer.from(name),
      Buffer.of(value.length),
      Buffer.from(value),
    ]),
  );
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

const get = block(
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'a'],
  [':path', '/api/v1/pods?limit=1'],
);
const post = block(
  [':method', 'POST'],
  [':scheme', 'https'],
  [':authority', 'a'],
  [':path', '/'],
  ['content-length', '2'],
);
/** From the static table: `GET`, `https`, `/`; a Huffman code; a field for the dynamic table. */
const indexed = Buffer.concat([
  Buffer.of(0x82, 0x87, 0x84, 0x41, 0x81, 0x1f),
  Buffer.of(0x40, 1, 0x61, 1, 0x62),
]);
const start = frame(settings, 0, 0);

let createdServer: ReturnType<typeof createServer>['server'] | undefined;
let requestErrors: unknown[] = [];

/** The server of a listener whose requests are read to their end and responded to. */
const server = (): NonNullable<typeof createdServer> =>
  (createdServer ??= createServer<[HttpRequest, HttpResponse]>(
    {
      bindAddress: '127.0.0.1',
      port: 0,
      certificate: '',
      key: '',
      clock: { now: () => performance.now() } as never,
      createContext: (req, res) => [req, res],
      run: async ([req, res]) => {
        try {
          for await (const _ of bodyStream(req));
          res.writeHead(200, { 'Content-Type': 'text/plain' });
          res.end(String(req.url));
        } catch (error) {
          // The client ended the stream.
          if ((error as NodeJS.ErrnoException).code === undefined) requestErrors.push(error);
        }
      },
    },
    new AbortController().signal,
  ).server);

/** What a TLS socket with HTTP/2 has, beside its bytes. */
const asTlsSocket = (side: Duplex): Duplex =>
  Object.assign(side, {
    alpnProtocol: 'h2',
    encrypted: true,
    setNoDelay: () => side,
    setKeepAlive: () => side,
  });

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'http2-frames',
    records: { format: 'http2' },
    seeds: [
      Buffer.concat([start, frame(headers, endHeaders | endStream, 1, get)]),
      Buffer.concat([
        start,
        frame(headers, endHeaders, 1, post),
        frame(data, endStream, 1, Buffer.from('{}')),
      ]),
      Buffer.concat([start, frame(headers, 0, 1, get.subarray(0, 20)), frame(continuation, endHeaders, 1, get.subarray(20)), frame(reset, 0, 1, number(8))]), // prettier-ignore
      Buffer.concat([start, frame(headers, endHeaders | endStream, 1, indexed), frame(headers, endHeaders | endStream, 3, Buffer.of(0x82, 0x87, 0x84, 0xbe))]), // prettier-ignore
      Buffer.concat([start, frame(ping, 0, 0, Buffer.alloc(8)), frame(settings, ack, 0), frame(windowUpdate, 0, 0, number(65_535)), frame(goAway, 0, 0, Buffer.alloc(8))]), // prettier-ignore
      Buffer.concat([
        frame(
          settings,
          0,
          0,
          Buffer.concat([Buffer.of(0, constants.NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE), number(1)]),
        ),
        frame(headers, endHeaders | padded, 1, Buffer.concat([Buffer.of(2), post, Buffer.alloc(2)])),
        frame(windowUpdate, 0, 1, number(1)),
        frame(data, endStream | padded, 1, Buffer.concat([Buffer.of(1), Buffer.from('{}'), Buffer.alloc(1)])),
      ]),
    ],
    maxBytes: 1024,
    maxGrownBytes: 32_768,
    async run(input) {
      const [client, side] = duplexPair();
      client.on('error', () => {}).resume();
      server().emit('secureConnection', asTlsSocket(side));
      client.write(Buffer.concat([preface, input]));
      // The frames are read, and requests respond.
      for (let turn = 0; turn < 4; turn++) await new Promise((done) => setImmediate(done));
      const closed = side.closed ? undefined : once(side, 'close');
      client.destroy();
      side.destroy();
      await closed;
      const [error] = requestErrors;
      requestErrors = [];
      if (error !== undefined) throw error;
    },
  },
];
