import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { createMetrics, nullLogger } from '@annex/runtime';
import {
  initialWindowBytes,
  KeepAlive,
  maxQueuedBytes,
  maxSentDataBytes,
  maxUnreadClientBytes,
  streamWindowBytes,
} from '@annex/tunnel';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { Agent } from './agents/agent.ts';
import { AgentPool } from './agents/agent-pool.ts';
import { createAgentServer } from './agents/serve-agents.ts';
import { Identifiers } from './agents/identifiers.ts';
import { maxDialsOfStream } from './frontends/grpc-frontend.ts';
import { createGrpcServer } from './frontends/serve-grpc.ts';
import { createConnectServer } from './frontends/serve-connect.ts';
import {
  backendCloseTimeoutMs,
  backendDialTimeoutMs,
  firstRequestTimeoutMs,
  maxAddressBytes,
  maxAgentConnections,
  maxAgentStreams,
  maxConnectRequestBytes,
  maxFrontendConnections,
  maxFrontendStreams,
  maxPendingDials,
} from './limits.ts';
import { createServerMetrics } from './metrics.ts';
import { startServer, type TestServer } from './server.fixture.ts';
import { Dial } from './tunnel/dial.ts';

afterEach(() => void vi.useRealTimers());

/** Timers of the process expire when a test says so; sockets do not notice. */
const holdTimers = () =>
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });

/** Sends bytes to the port of the API server; resolves to all that it returns. */
async function exchange(server: TestServer, request: string): Promise<string> {
  const socket = server.connect();
  socket.on('error', () => undefined);
  socket.write(request);
  return await text(socket);
}

/** Resolves to the reason of a dial that fails. */
const dialOf = (server: TestServer, mode: string): Promise<string> =>
  mode === 'grpc'
    ? server.dialer.dial('10.0.0.1:443').then(String, (error: Error) => error.message)
    : exchange(server, connectRequest('10.0.0.1:443'));

const connectRequest = (address: string, header = '') =>
  `CONNECT ${address} HTTP/1.1\r\nHost: 127.0.0.1\r\n${header}\r\n`;

test.each([
  ['grpc', 'timed out waiting for backend dial'],
  ['http-connect', 'HTTP/1.1 504 Gateway Timeout'],
])('a dial of mode %s takes at most backendDialTimeoutMs, and the agent is told', async (mode, message) => {
  const server = await startServer([`--mode=${mode}`]);
  const agent = await server.agent('silent');
  holdTimers();
  const dialed = dialOf(server, mode);
  const { random } = await agent.next('DIAL_REQ');
  await vi.advanceTimersByTimeAsync(backendDialTimeoutMs);
  expect(await dialed).toContain(message);
  expect(await agent.next('DIAL_CLS')).toEqual({ type: 'DIAL_CLS', random });
  // The agent connected nevertheless: nothing is left open.
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 7, random });
  expect(await agent.next('CLOSE_REQ')).toEqual({ type: 'CLOSE_REQ', connectId: 7 });
});

test.each(['grpc', 'http-connect'])(
  'mode %s: without another agent, a dial fails at once and names the agent that is gone',
  async (mode) => {
    const server = await startServer([`--mode=${mode}`]);
    const agent = await server.agent('silent');
    const dialed = dialOf(server, mode);
    await agent.next('DIAL_REQ');
    agent.session.destroy();
    expect(await dialed).toContain(
      'the agent silent disconnected during the dial, and no other agent is available',
    );
  },
);

test('a connection that an agent does not close is forgotten after backendCloseTimeoutMs', async () => {
  const server = await startServer();
  const agent = await server.agent('silent');
  const dialed = server.dialer.dial('10.0.0.1:443');
  const { random } = await agent.next('DIAL_REQ');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
  const connection = await dialed;
  holdTimers();
  connection.destroy();
  await agent.next('CLOSE_REQ');
  expect(await server.value('established_connections')).toBe(1);
  await vi.advanceTimersByTimeAsync(backendCloseTimeoutMs);
  expect(await server.value('established_connections')).toBe(0);
});

test('an agent gets no more room for a client that does not read, when maxUnreadClientBytes wait for it', async () => {
  const server = await startServer();
  const agent = await server.agent('flooding', { extensions: ['window'] });
  const dialed = server.dialer.dial('10.0.0.1:443');
  const { random } = await agent.next('DIAL_REQ');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
  // The end of the test closes the tunnel.
  (await dialed).on('error', () => undefined);
  const data = Buffer.alloc(maxSentDataBytes);
  const granted = () =>
    agent.received.reduce(
      (sum, packet) => sum + (packet.type === 'WINDOW' ? packet.bytes : 0),
      initialWindowBytes,
    );
  let sent = 0;
  for (let turn = 1; turn <= 30; turn++) {
    for (; sent < granted(); sent += data.length)
      agent.packets.send({ type: 'DATA', connectId: 1, error: '', data });
    // The server handles packets in their order, and responds to data of a connection that it does not know.
    agent.packets.send({ type: 'DATA', connectId: 2, error: '', data: data.subarray(0, 1) });
    await agent.next('CLOSE_REQ');
  }
  // The window of the client's HTTP/2 stream takes the first bytes.
  const taken = streamWindowBytes + 2 * maxSentDataBytes;
  expect(granted()).toBeGreaterThan(initialWindowBytes);
  expect(granted()).toBeLessThanOrEqual(taken + maxUnreadClientBytes + initialWindowBytes);
});

test.each(['grpc', 'http-connect'])(
  'mode %s: the client with the most unread bytes is disconnected at maxUnreadClientsBytes',
  async (mode) => {
    const limit = 512 * 1024;
    const server = await startServer([`--mode=${mode}`], { maxUnreadClientsBytes: limit });
    const agent = await server.agent('flooding');
    const dial = async (connectId: number) => {
      const dialed = mode === 'grpc' ? server.dialer.dial('10.0.0.1:443') : undefined;
      if (dialed === undefined) server.connect().write(connectRequest('10.0.0.1:443'));
      const { random } = await agent.next('DIAL_REQ');
      agent.packets.send({ type: 'DIAL_RSP', error: '', connectId, random });
      const connection = await dialed;
      const failed = connection && once(connection, 'error');
      // The client may read what had reached it before.
      return () => (connection?.resume(), failed);
    };
    await dial(1);
    const ended = await dial(2);
    const data = Buffer.alloc(maxSentDataBytes);
    agent.packets.send({ type: 'DATA', connectId: 1, error: '', data });
    // Windows of HTTP/2 and sockets take the first bytes.
    for (let sent = 0; sent < streamWindowBytes + 4 * limit; sent += data.length)
      agent.packets.send({ type: 'DATA', connectId: 2, error: '', data });
    expect(await agent.next('CLOSE_REQ')).toMatchObject({ connectId: 2 });
    expect(await server.value('established_connections')).toBe(1);
    if (mode === 'grpc')
      expect(await ended()).toMatchObject([{ message: 'too many bytes wait for clients that do not read' }]);
  },
);

test('an address of more than maxAddressBytes is not dialed', async () => {
  const address = `${'a'.repeat(maxAddressBytes)}:1`;
  const [grpc, connect] = [await startServer(), await startServer(['--mode=http-connect'])];
  const agents = await Promise.all([grpc, connect].map((server) => server.agent('silent')));
  await expect(grpc.dialer.dial(address)).rejects.toThrow('the address is too long');
  expect(await exchange(connect, connectRequest(address))).toMatch(
    /^HTTP\/1.1 400 .*\n\r\nthe address is too long$/s,
  );
  expect(agents.map(({ received }) => received)).toEqual([[], []]);
});

test('a CONNECT request of more than maxConnectRequestBytes ends its connection', async () => {
  const server = await startServer(['--mode=http-connect']);
  const agent = await server.agent('silent');
  const header = `X: ${'a'.repeat(maxConnectRequestBytes)}\r\n`;
  expect(await exchange(server, connectRequest('a:1', header))).toMatch(/^HTTP\/1.1 400 /);
  expect(agent.received).toEqual([]);
});

test('a connection without a stream ends after firstRequestTimeoutMs', async () => {
  const server = await startServer();
  holdTimers();
  const session = server.connectAgent();
  session.on('error', () => undefined);
  await once(session, 'remoteSettings');
  const closed = once(session, 'close');
  await vi.advanceTimersByTimeAsync(firstRequestTimeoutMs);
  await closed;
});

test('streams and connections of clients and agents are limited', async () => {
  const server = await startServer();
  const session = server.connectAgent();
  onTestFinished(() => session.destroy());
  const [settings] = await once(session, 'remoteSettings');
  expect(settings).toMatchObject({ maxConcurrentStreams: maxAgentStreams });
  const agents = new AgentPool(['default']);
  const measured = createServerMetrics(createMetrics(), agents, ['default']);
  const dials = { agents, timeoutMs: 1_000, observed: measured.dialed, failed: measured.dialFailed };
  const keepAlive = { intervalMs: 1_000, timeoutMs: 1_000 };
  const serving = {
    agents,
    serverId: 's',
    serverCount: () => 1,
    keepAlive,
    authenticate: async () => undefined,
    idFromCertificate: false,
    counts: measured.agentCounts,
    unrecognized: () => undefined,
    gave: () => undefined,
    wrote: () => undefined,
  };
  expect(createAgentServer({}, { ...serving, log: nullLogger }).maxConnections).toBe(maxAgentConnections);
  for (const frontend of [
    createGrpcServer(undefined, dials, {
      opened() {},
      closed() {},
      session() {},
      counts: measured.frontendCounts,
    }),
    createConnectServer(undefined, dials, () => undefined),
  ])
    expect(frontend.maxConnections).toBe(maxFrontendConnections);
  const client = await server.client();
  await expect.poll(() => client.session.remoteSettings.maxConcurrentStreams).toBe(maxFrontendStreams);
});

test('a stream with more than maxDialsOfStream dials ends', async () => {
  const server = await startServer();
  const agent = await server.agent('silent');
  const client = await server.client();
  for (let random = 0n; random <= maxDialsOfStream; random++)
    client.packets.send({ type: 'DIAL_REQ', protocol: 'tcp', address: 'a:1', random });
  expect((await client.closed)?.message).toBe('too many dials on one stream');
  for (let canceled = 0; canceled < maxDialsOfStream; canceled++) await agent.next('DIAL_CLS');
});

test('beyond maxPendingDials of an agent, another one gets the dial', async () => {
  const server = await startServer();
  const pool = new AgentPool(['default']);
  const [full, other] = await Promise.all(
    ['full', 'other'].map(async (id) => {
      const { packets, session } = await server.agent(id);
      const keepAlive = new KeepAlive(session, { intervalMs: 60_000, timeoutMs: 1_000 }, () => undefined);
      const description = { id, identifiers: new Identifiers(''), extensions: new Set<string>() };
      return new Agent(description, packets, {
        keepAlive,
        unrecognized: () => undefined,
        gave: () => undefined,
        wrote: () => undefined,
      });
    }),
  );
  pool.add(full!);
  const setting = { agents: pool, timeoutMs: 60_000, observed() {}, failed() {} };
  const failures: string[] = [];
  const dials: Dial[] = [];
  const dial = (random: number) =>
    dials.push(
      new Dial(
        setting,
        { protocol: 'tcp', address: 'a:1', random: BigInt(random) },
        { connected: () => expect.unreachable(), failed: (message) => void failures.push(message) },
      ),
    );
  for (let random = 0; random < maxPendingDials; random++) dial(random);
  dial(maxPendingDials);
  expect(failures).toEqual(['too many dials wait for the agent full']);
  pool.add(other!);
  while (other!.pendingDials === 0) dial(maxPendingDials);
  expect(full!.pendingDials).toBe(maxPendingDials);
  for (const each of dials) each.cancel();
});

test('without flow control, a client with maxQueuedBytes that does not read holds the agent, and is closed', async () => {
  const server = await startServer(['--mode=http-connect']);
  const agent = await server.agent('without windows');
  const socket = server.connect();
  socket.on('error', () => undefined);
  socket.write(connectRequest('10.0.0.1:443'));
  const { random } = await agent.next('DIAL_REQ');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
  await once(socket, 'readable');
  let sent = 0;
  const data = Buffer.alloc(64 * 1024);
  const send = () => {
    for (; !agent.packets.mustWait; sent += data.length)
      agent.packets.send({ type: 'DATA', connectId: 1, error: '', data });
    agent.packets.whenDrained(() => void (agent.received.length === 1 && setImmediate(send)));
  };
  send();
  expect(await agent.next('CLOSE_REQ')).toEqual({ type: 'CLOSE_REQ', connectId: 1 });
  expect(sent).toBeGreaterThan(maxQueuedBytes);
  socket.destroy();
});
