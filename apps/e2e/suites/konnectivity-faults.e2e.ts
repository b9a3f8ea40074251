import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { requireTools } from '@annex/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { destination, echo, flooding } from './konnectivity/destinations.ts';
import {
  reaches,
  type ServerOptions,
  TunnelPrograms,
  type TunnelServer,
  upstreamPrograms,
} from './konnectivity/programs.ts';
import { type RawStream, rawStream } from './konnectivity/raw-stream.ts';

let programs: TunnelPrograms;
let cleanups: (AsyncDisposable | Disposable)[];
beforeEach(() => {
  programs = new TunnelPrograms();
  cleanups = [];
});
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) {
    if (Symbol.asyncDispose in cleanup) await cleanup[Symbol.asyncDispose]();
    else cleanup[Symbol.dispose]();
  }
  await programs[Symbol.asyncDispose]();
});
const kept = <T extends AsyncDisposable | Disposable>(value: T): T => {
  cleanups.push(value);
  return value;
};

const rawAgent = async (server: TunnelServer, id: string): Promise<RawStream> =>
  kept(await rawStream(programs.connectAgent(server), '/AgentService/Connect', { agentid: id }));
const rawClient = async (server: TunnelServer): Promise<RawStream> =>
  kept(await rawStream(server.connect(), '/ProxyService/Proxy'));

async function roundTrip(connection: Duplex, text = 'ping'): Promise<string> {
  connection.write(text);
  let got = '';
  while (got.length < text.length) {
    const [chunk] = (await once(connection, 'data')) as [Buffer];
    got += String(chunk);
  }
  return got;
}

describe.each(['grpc', 'http-connect'] as const)('mode %s', (mode) => {
  const options: ServerOptions = { mode };

  it('a client that does not read stalls nobody else', async () => {
    const { server } = await programs.tunnel(options);
    const echoing = kept(await echo());
    const flood = kept(await flooding());
    const stopped = await server.dial(flood.address);
    stopped.pause();
    const other = await server.dial(echoing.address);
    await expect.poll(() => flood.sockets[0]!.writableNeedDrain).toBe(true);
    for (let round = 0; round < 20; round++) expect(await roundTrip(other)).toBe('ping');
    // It is not closed: it goes on when its client reads.
    const continued = once(stopped, 'data');
    stopped.resume();
    await continued;
    stopped.destroy();
  });

  it('a destination that does not read stalls nobody else', async () => {
    const { server } = await programs.tunnel(options);
    const echoing = kept(await echo());
    const deaf = kept(await destination((socket) => void socket.pause()));
    const stopped = await server.dial(deaf.address);
    while (stopped.write(Buffer.alloc(256 * 1024)));
    await new Promise((resolve) => setTimeout(resolve, 200));
    while (stopped.write(Buffer.alloc(256 * 1024)));
    const other = await server.dial(echoing.address);
    for (let round = 0; round < 20; round++) expect(await roundTrip(other)).toBe('ping');
  });

  it('a killed agent ends its connections, and a dial moves to another agent', async () => {
    const server = await programs.server(options);
    const silent = await rawAgent(server, 'silent');
    await reaches(`${server.health}/readyz`);
    const echoing = kept(await echo());
    const dialed = server.dial(echoing.address);
    await silent.next('DIAL_REQ');
    await programs.agent(server, { id: 'other' });
    await server.process.waitFor(/an agent connected agent=other/);
    silent[Symbol.dispose]();
    expect(await roundTrip(await dialed)).toBe('ping');
  });

  it('a frozen agent is found, and does not get the dials that another one can have', async () => {
    const server = await programs.server({
      ...options,
      args: ['--keepalive-time=500ms', '--keepalive-timeout=500ms'],
    });
    const agent = await programs.agent(server, { id: 'frozen' });
    await server.process.waitFor(/an agent connected agent=frozen/);
    const echoing = kept(await echo());
    const connection = await server.dial(echoing.address);
    expect(await roundTrip(connection)).toBe('ping');
    await programs.agent(server, { id: 'alive' });
    await server.process.waitFor(/an agent connected agent=alive/);
    agent.process.kill('SIGSTOP');
    for (const dialed of await Promise.all([1, 2, 3, 4].map(() => server.dial(echoing.address))))
      expect(await roundTrip(dialed)).toBe('ping');
    await server.process.waitFor(/the agent frozen does not respond|disconnected agent=frozen/);
    if (!connection.destroyed) await once(connection, 'close').catch(() => undefined);
    agent.process.kill('SIGCONT');
    await server.process.waitFor(/an agent connected agent=frozen[^]*/);
  });
});

it.runIf(requireTools('a slow reader with the agent of upstream', ...upstreamPrograms))(
  'with an agent of upstream, a client that does not read is closed, and others go on',
  async () => {
    const { server } = await programs.tunnel({}, { maker: 'upstream' });
    const echoing = kept(await echo());
    const flood = kept(await flooding());
    const stopped = await server.dial(flood.address);
    stopped.pause();
    const other = await server.dial(echoing.address);
    await expect.poll(() => flood.sockets[0]!.destroyed, { timeout: 15_000 }).toBe(true);
    for (let round = 0; round < 20; round++) expect(await roundTrip(other)).toBe('ping');
    stopped.destroy();
  },
);

it('a client that gives up is told to the agent', async () => {
  const server = await programs.server();
  const silent = await rawAgent(server, 'silent');
  const stop = new AbortController();
  const dialed = server.dial('127.0.0.1:1', stop.signal);
  const { random } = await silent.next('DIAL_REQ');
  stop.abort();
  await expect(dialed).rejects.toThrow('dial timeout, context');
  expect(await silent.next('DIAL_CLS')).toEqual({ type: 'DIAL_CLS', random });
});

describe('packets that break the protocol', () => {
  it.each(['/ProxyService/Proxy', '/AgentService/Connect'] as const)(
    'a packet without payload ends its own stream only: %s',
    async (path) => {
      const { server } = await programs.tunnel();
      const echoing = kept(await echo());
      const other = await server.dial(echoing.address);
      const isAgent = path === '/AgentService/Connect';
      const stream = isAgent ? await rawAgent(server, 'mallory') : await rawClient(server);
      // An empty message is a DIAL_REQ without payload.
      for (const type of ['DATA', 'CLOSE_RSP', 'DIAL_RSP'] as const)
        stream.packets.sendMessage(Buffer.from([8, { DATA: 4, CLOSE_RSP: 3, DIAL_RSP: 1 }[type]]));
      expect((await stream.closed)?.message).toBe('a DATA packet has no payload');
      expect(await roundTrip(other)).toBe('ping');
    },
  );

  it('a client reaches only its own connection', async () => {
    const { server } = await programs.tunnel();
    const echoing = kept(await echo());
    const victim = await server.dial(echoing.address);
    const mallory = await rawClient(server);
    mallory.packets.send({ type: 'DIAL_REQ', protocol: 'tcp', address: echoing.address, random: 1n });
    const { connectId } = await mallory.next('DIAL_RSP');
    mallory.packets.send({ type: 'DATA', connectId: connectId - 1, error: '', data: Buffer.from('forged') });
    expect(await mallory.next('CLOSE_RSP')).toMatchObject({ error: 'mismatched connection IDs' });
    expect(await roundTrip(victim)).toBe('ping');
  });

  it('an agent that claims the id of another neither reads nor writes on its connections', async () => {
    const { server } = await programs.tunnel({}, { id: 'agent-a' });
    const echoing = kept(await echo());
    const victim = await server.dial(echoing.address);
    const mallory = await rawAgent(server, 'agent-a');
    mallory.packets.send({ type: 'DATA', connectId: 1, error: '', data: Buffer.from('injected') });
    mallory.packets.send({ type: 'CLOSE_RSP', error: '', connectId: 1 });
    expect(await mallory.next('CLOSE_REQ')).toEqual({ type: 'CLOSE_REQ', connectId: 1 });
    expect(await roundTrip(victim)).toBe('ping');
    expect(mallory.received.filter(({ type }) => type === 'DATA')).toEqual([]);
  });
});
