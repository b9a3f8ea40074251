import type { Duplex } from 'node:stream';
import { TunnelDialer } from '@annex/tunnel';
import { expect, test } from 'vitest';
import { type RawStream, startServer, type TestServer } from './server.fixture.ts';

/** Numbers from 0 to 1 that a seed determines. Source: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What an agent does when it is asked to connect. */
type Reaction = (agent: RawStream, dial: { random: bigint; connectId: number }) => void;

const accept: Reaction = ({ packets }, { random, connectId }) =>
  packets.send({ type: 'DIAL_RSP', error: '', connectId, random });

const reactions: readonly Reaction[] = [
  accept,
  accept,
  ({ packets }, { random }) => packets.send({ type: 'DIAL_RSP', error: 'refused', connectId: 0, random }),
  ({ packets }, { random }) => packets.send({ type: 'DIAL_CLS', random }),
  (agent, dial) => {
    accept(agent, dial);
    agent.packets.send({ type: 'DATA', connectId: dial.connectId, error: '', data: Buffer.from('x') });
    agent.packets.send({ type: 'CLOSE_RSP', error: '', connectId: dial.connectId });
  },
  (agent, dial) => {
    accept(agent, dial);
    agent.session.destroy();
  },
  (agent, dial) => {
    accept(agent, dial);
    agent.packets.end();
  },
  // The server notices the end of the dial after its time.
  () => undefined,
  ({ session }) => session.destroy(),
  ({ packets }) => packets.cancel(),
  ({ packets }) => packets.end(),
  ({ packets }) => packets.send({ type: 'DRAIN' }),
  ({ packets }, { random }) => packets.send({ type: 'DIAL_RSP', error: '', connectId: 0, random }),
];

/** Keeps an agent connected that reacts at random. It closes connections when it is asked to. */
async function keepAgent(server: TestServer, id: string, random: () => number, isOver: () => boolean) {
  while (!isOver()) {
    const agent = await server.agent(id, { extensions: ['half-close'] }).catch(() => undefined);
    if (agent === undefined) return;
    let connectId = 0;
    agent.onPacket((packet) => {
      if (packet.type === 'CLOSE_REQ')
        agent.packets.send({ type: 'CLOSE_RSP', error: '', connectId: packet.connectId });
      if (packet.type !== 'DIAL_REQ') return;
      const reaction = reactions[Math.floor(random() * reactions.length)]!;
      reaction(agent, { random: packet.random, connectId: ++connectId });
    });
    await agent.closed;
  }
}

/** Dials again and again, and closes connections in every way. Resolves to the number of dials that succeeded. */
async function dialAtRandom(server: TestServer, random: () => number, dials: number): Promise<number> {
  let opened = 0;
  const sockets: Duplex[] = [];
  const connect = () => {
    const socket = server.connect();
    sockets.push(socket);
    return socket;
  };
  const dialer = new TunnelDialer({ connect, server: 'the server' });
  const dial = async (): Promise<void> => {
    const stop = new AbortController();
    if (random() < 0.1) setImmediate(() => stop.abort());
    const connection = await dialer.dial('a:1', stop.signal).catch(() => undefined);
    if (connection === undefined) return;
    opened++;
    connection.on('error', () => undefined).resume();
    connection.write('x');
    if (random() < 0.5) connection.destroy();
    else connection.end(() => connection.destroy());
  };
  for (let done = 0; done < dials; done += 4) {
    if (random() < 0.2)
      for (const socket of sockets.splice(0)) {
        if (random() < 0.5) socket.destroy();
        else socket.end();
      }
    await Promise.all([dial(), dial(), dial(), dial()]);
  }
  dialer.close();
  return opened;
}

test.each([1, 2, 3])(
  'every dial ends while agents and clients fail at random, and nothing is left: seed %d',
  async (seed) => {
    const random = randomOf(seed);
    const server = await startServer(['--backend-dial-timeout=100ms']);
    let isOver = false;
    const agents = ['a', 'b', 'c'].map((id) => keepAgent(server, id, random, () => isOver));
    const opened = await Promise.all([1, 2, 3].map(() => dialAtRandom(server, random, 40)));
    isOver = true;
    expect(Math.max(...opened)).toBeGreaterThan(0);
    for (const gauge of [
      'pending_backend_dials',
      'established_connections',
      'grpc_connections{service_method="Proxy"}',
    ])
      await expect.poll(() => server.value(gauge), { message: gauge }).toBe(0);
    await server.stop();
    await Promise.all(agents);
  },
);
