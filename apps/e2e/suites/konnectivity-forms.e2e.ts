import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectRefusal } from './konnectivity/connect-through.ts';
import { type Destination, destination, echo } from './konnectivity/destinations.ts';
import {
  type Maker,
  type Mode,
  TunnelPrograms,
  type TunnelServer,
  type Transport,
  upstreamPrograms,
} from './konnectivity/programs.ts';

const withUpstream = requireTools('the tunnel with upstream programs', ...upstreamPrograms);
const pairs: [server: Maker, agent: Maker][] = [
  ['annex', 'annex'],
  ...(withUpstream
    ? ([
        ['annex', 'upstream'],
        ['upstream', 'annex'],
      ] as [Maker, Maker][])
    : []),
];
const forms: [Mode, Transport][] = [
  ['grpc', 'uds'],
  ['grpc', 'tcp'],
  ['http-connect', 'uds'],
  ['http-connect', 'tcp'],
];
const cases = pairs.flatMap((pair) => forms.map((form) => [...pair, ...form] as const));

const content = Buffer.alloc(4 * 1024 * 1024);
for (let at = 0; at < content.length; at++) content[at] = at % 251;
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.each(cases)(
  'KON-001 KON-004 the server of %s, the agent of %s, %s over %s',
  (server, agent, mode, transport) => {
    let programs: TunnelPrograms;
    let tunnel: TunnelServer;
    let echoing: Destination;
    let banner: Destination;
    let sink: Destination;
    const received: Promise<Buffer>[] = [];
    beforeAll(async () => {
      programs = new TunnelPrograms();
      ({ server: tunnel } = await programs.tunnel({ maker: server, mode, transport }, { maker: agent }));
      echoing = await echo();
      banner = await destination((socket) => void socket.end('220 ready\r\n'));
      sink = await destination((socket) => {
        received.push(buffer(socket));
        socket.once('end', () => socket.end());
      });
    });
    afterAll(async () => {
      await programs[Symbol.asyncDispose]();
      await Promise.all([echoing, banner, sink].map((each) => each[Symbol.asyncDispose]()));
    });

    it('bytes go both ways', async () => {
      const connection = await tunnel.dial(echoing.address);
      connection.write(content);
      expect(hash(await read(connection, content.length))).toBe(hash(content));
      connection.destroy();
    });

    it('a destination that cannot be reached is an error with its reason', async () => {
      const failed = tunnel.dial('127.0.0.1:1');
      await expect(failed).rejects.toThrow('dial tcp 127.0.0.1:1: connect: connection refused');
      if (mode === 'http-connect') {
        await expect(failed).rejects.toThrow(ConnectRefusal);
        await expect(failed).rejects.toMatchObject({ status: '502 Bad Gateway' });
      }
    });

    it.runIf(server === 'annex' || mode === 'grpc')('a destination may speak first', async () => {
      const banners = await Promise.all(
        Array.from({ length: 20 }, async () => String(await buffer(await tunnel.dial(banner.address)))),
      );
      expect(new Set(banners)).toEqual(new Set(['220 ready\r\n']));
    });

    it.runIf(server === 'annex' && agent === 'annex')(
      'bytes before the end of a connection arrive',
      async () => {
        for (let round = 0; round < 5; round++) {
          received.length = 0;
          const connection = await tunnel.dial(sink.address);
          connection.end(content);
          connection.resume();
          await expect.poll(() => received.length).toBe(1);
          expect(hash(await received[0]!)).toBe(hash(content));
        }
      },
    );

    it.runIf(server === 'annex' && agent === 'annex')('half-close is kept in both directions', async () => {
      const connection = await tunnel.dial(echoing.address);
      connection.end('question');
      expect(String(await buffer(connection))).toBe('question');
    });
  },
);

async function read(connection: Duplex, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let got = 0;
  for await (const chunk of connection.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Buffer);
    if ((got += (chunk as Buffer).length) >= length) break;
  }
  return Buffer.concat(chunks);
}
