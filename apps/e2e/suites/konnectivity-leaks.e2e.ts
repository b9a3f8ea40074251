import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { destination, echo } from './konnectivity/destinations.ts';
import { type Mode, TunnelPrograms, type TunnelServer } from './konnectivity/programs.ts';
import { rawStream } from './konnectivity/raw-stream.ts';

/** Connections of each kind and mode; together 10,000. */
const each = 1_000;
const atOnce = 50;

let programs: TunnelPrograms;
beforeEach(() => void (programs = new TunnelPrograms()));
afterEach(() => programs[Symbol.asyncDispose]());

async function repeat(times: number, run: () => Promise<void>): Promise<void> {
  let left = times;
  const worker = async () => {
    while (left-- > 0) await run();
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

const socketsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** The gauges that are not zero, of a server and an agent. */
async function openGauges(...urls: string[]): Promise<string[]> {
  const texts = await Promise.all(urls.map(async (url) => await (await fetch(`${url}/metrics`)).text()));
  return texts
    .join('\n')
    .split('\n')
    .filter((line) => /^\w+_(established|pending|open_endpoint|http)_\w+ [1-9]|"Proxy"\} [1-9]/.test(line));
}

async function used(connection: Duplex): Promise<void> {
  connection.write('x');
  await once(connection, 'data');
}

const ignored = (): void => undefined;

it.each<Mode>(['grpc', 'http-connect'])(
  '%s: thousands of connections and failures leave nothing behind',
  async (mode) => {
    const { server, agent } = await programs.tunnel({ mode });
    await using echoing = await echo();
    await using closing = await destination((socket) => void socket.end());
    const kinds: (() => Promise<void>)[] = [
      async () => {
        const connection = await server.dial(echoing.address);
        await used(connection);
        connection.destroy();
      },
      async () => {
        const connection = await server.dial(echoing.address);
        connection.end('x');
        connection.resume();
        await once(connection, 'close');
      },
      async () => {
        const connection = await server.dial(closing.address);
        connection.resume().end();
        await once(connection, 'close');
      },
      async () => void (await server.dial('127.0.0.1:1').catch(ignored)),
      async () => {
        const stop = new AbortController();
        const dialed = server.dial(echoing.address, stop.signal);
        stop.abort();
        (await dialed.catch(ignored))?.destroy();
      },
    ];
    const open = () => [server, agent].map(({ process }) => socketsOf(process.pid));
    for (const kind of kinds) await repeat(atOnce, kind);
    await settled(server, agent.health, echoing.sockets);
    const before = open();
    for (const kind of kinds) await repeat(each, kind);
    await settled(server, agent.health, echoing.sockets);
    const after = open();
    for (const [index, count] of after.entries()) expect(count).toBeLessThanOrEqual(before[index]! + 10);
  },
);

/** Waits until gauges and destinations have no connection. */
async function settled(
  server: TunnelServer,
  agent: string,
  sockets: readonly { destroyed: boolean }[],
): Promise<void> {
  await expect.poll(() => openGauges(server.health, agent), { timeout: 30_000, interval: 100 }).toEqual([]);
  await expect.poll(() => sockets.filter(({ destroyed }) => !destroyed).length, { timeout: 30_000 }).toBe(0);
}

it('agents that come and go leave nothing behind', async () => {
  const server = await programs.server();
  for (let round = 0; round < 100; round++) {
    using agent = await rawStream(programs.connectAgent(server), '/AgentService/Connect', {
      agentid: 'flapping',
    });
    const dialed = server.dial('127.0.0.1:1').catch((error: Error) => error.message);
    const { random } = await agent.next('DIAL_REQ');
    if (round % 2 === 0) {
      agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
      await dialed;
    }
    agent[Symbol.dispose]();
    await dialed;
  }
  await expect.poll(() => openGauges(server.health), { timeout: 30_000 }).toEqual([]);
  const metrics = await (await fetch(`${server.health}/metrics`)).text();
  expect(metrics).toContain('ready_backends{proxy_strategy="default"} 0');
});
