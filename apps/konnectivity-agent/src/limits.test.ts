import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createMetrics, nullLogger } from '@annex/runtime';
import { createTestCA, tempFolder } from '@annex/testkit';
import { maxQueuedBytes, type Packet, type PacketStream } from '@annex/tunnel';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startAgent } from './agent.fixture.ts';
import { connectEndpoint } from './endpoints/connect-endpoint.ts';
import { endpointRules } from './endpoints/endpoint-rules.ts';
import {
  endpointDialTimeoutMs,
  endpointFlushTimeoutMs,
  maxEndpointConnections,
  maxServers,
  serverConnectTimeoutMs,
} from './limits.ts';
import { createAgentMetrics } from './metrics.ts';
import { AgentStream } from './servers/agent-stream.ts';
import { connectServer } from './servers/connect-server.ts';
import { serverAddresses } from './servers/server-address.ts';

const rules = endpointRules(['127.0.0.0/8']);

/** Timers of the process expire when a test says so; sockets do not notice. */
function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** A destination that reads nothing, or does this with each connection. */
async function destination(serve: (socket: Socket) => void = (socket) => void socket.pause()) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    serve(socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, address: `127.0.0.1:${port}`, sockets };
}

test('a dial takes at most endpointDialTimeoutMs', async () => {
  const { address } = await destination();
  holdTimers();
  const dialed = connectEndpoint('tcp', address, rules, new AbortController());
  vi.advanceTimersByTime(endpointDialTimeoutMs);
  await expect(dialed).rejects.toMatchObject({
    message: `dial tcp ${address}: i/o timeout`,
    reason: 'timeout',
  });
});

test('bytes that a destination does not read are dropped endpointFlushTimeoutMs after the close', async () => {
  const { address, sockets } = await destination();
  const agent = await startAgent();
  const connectId = await agent.dial(address);
  for (let packet = 0; packet < 100; packet++)
    agent.send({ type: 'DATA', connectId, error: '', data: Buffer.alloc(64 * 1024) });
  holdTimers();
  agent.send({ type: 'CLOSE_REQ', connectId });
  await agent.next('CLOSE_RSP');
  expect(await agent.value('open_endpoint_connections')).toBe(0);
  await vi.advanceTimersByTimeAsync(endpointFlushTimeoutMs);
  let bytes = 0;
  sockets[0]!.on('data', ({ length }: Buffer) => (bytes += length)).resume();
  await once(sockets[0]!, 'close');
  expect(bytes).toBeLessThan(100 * 64 * 1024);
});

test('without flow control, a destination with maxQueuedBytes that does not read is closed', async () => {
  const { address } = await destination();
  const agent = await startAgent();
  const connectId = await agent.dial(address);
  const data = Buffer.alloc(64 * 1024);
  const [stream] = agent.streams;
  let sent = 0;
  let isOver = false;
  const send = () => {
    for (; !isOver && !stream!.mustWait; sent += data.length)
      stream!.send({ type: 'DATA', connectId, error: '', data });
    if (!isOver) stream!.whenDrained(() => void setImmediate(send));
  };
  send();
  await agent.next('CLOSE_RSP');
  isOver = true;
  expect(sent).toBeGreaterThan(maxQueuedBytes);
});

test('a server that does not respond within serverConnectTimeoutMs is given up', async () => {
  const { port } = await destination();
  const folder = tempFolder('annex-agent-');
  const caFile = join(folder.path, 'ca.crt');
  writeFileSync(caFile, createTestCA('ca').certificate);
  holdTimers();
  const identity = { id: 'agent', identifiers: '', caFile, alpnProtocols: [] };
  const files = { certFile: undefined, keyFile: undefined, tokenFile: undefined };
  const connected = connectServer(
    { host: '127.0.0.1', port, name: '127.0.0.1' },
    { ...identity, ...files },
  ).catch((error: Error) => error.message);
  // The files are read first.
  while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(serverConnectTimeoutMs);
  expect(await connected).toBe('the server did not respond in time');
  folder[Symbol.dispose]();
});

test('at most maxServers addresses are connected', async () => {
  const hosts = Array.from({ length: maxServers + 1 }, (_, index) => `10.0.0.${index}`);
  const addresses = await serverAddresses(hosts, 8091);
  expect(addresses.map(({ host }) => host)).toEqual(hosts.slice(0, maxServers));
});

test('dials beyond the limit of connections are refused', async () => {
  const { address } = await destination();
  const sent: Packet[] = [];
  const respond = (packet: Packet): void => void sent.push(packet);
  const packets = { respond, send: respond, isClosed: false } as PacketStream;
  const counts = { servers: () => 0, knownServers: () => 0, connections: () => 0 };
  const stream = new AgentStream(packets, new Set(), {
    rules,
    metrics: createAgentMetrics(createMetrics(), counts),
    log: nullLogger,
    maxConnections: 2,
  });
  // Several may have one name.
  for (const random of [1n, 1n, 3n]) stream.received({ type: 'DIAL_REQ', protocol: 'tcp', address, random });
  expect(sent).toEqual([
    { type: 'DIAL_RSP', error: 'the agent has too many connections', connectId: 0, random: 3n },
  ]);
  stream.lost();
  expect(maxEndpointConnections).toBe(20_000);
});
