import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Destination, echo } from './konnectivity/destinations.ts';
import { reaches, TunnelPrograms, type TunnelServer } from './konnectivity/programs.ts';

let programs: TunnelPrograms;
let echoing: Destination;
beforeEach(async () => {
  programs = new TunnelPrograms();
  echoing = await echo();
});
afterEach(async () => {
  await echoing[Symbol.asyncDispose]();
  await programs[Symbol.asyncDispose]();
});

async function roundTrip(connection: Duplex): Promise<void> {
  connection.write('ping');
  expect(String((await once(connection, 'data'))[0])).toBe('ping');
}

/** Opens connections and closes them, one after another, until it is stopped. Resolves to their number. */
function load(server: TunnelServer): { stop(): Promise<number> } {
  let isStopped = false;
  const run = async (): Promise<number> => {
    let count = 0;
    for (; !isStopped; count++) {
      const connection = await server.dial(echoing.address);
      await roundTrip(connection);
      connection.destroy();
    }
    return count;
  };
  const running = run();
  running.catch(() => undefined);
  return {
    stop() {
      isStopped = true;
      return running;
    },
  };
}

it('an agent that stops while another one runs cuts no connection, and no dial fails', async () => {
  const server = await programs.server();
  const first = await programs.agent(server, { id: 'first' });
  await reaches(`${server.health}/readyz`);
  const old = await server.dial(echoing.address);
  await roundTrip(old);
  const busy = load(server);
  await programs.agent(server, { id: 'second' });
  await server.process.waitFor(/an agent connected agent=second/);
  first.process.kill('SIGTERM');
  await roundTrip(old);
  const fresh = await server.dial(echoing.address);
  await roundTrip(fresh);
  // The agent ends with its last connection, long before its drain time of 20 s.
  old.destroy();
  expect(await first.process.exited).toBe(0);
  await roundTrip(fresh);
  expect(await busy.stop()).toBeGreaterThan(0);
});

it('a server that restarts drains its connection, and its agent finds it again', async () => {
  const { server, agent } = await programs.tunnel();
  const open = await server.dial(echoing.address);
  await roundTrip(open);
  server.process.kill('SIGTERM');
  expect(await reaches(`${server.health}/readyz`, 500)).toBe('the server is stopping');
  await roundTrip(open);
  open.destroy();
  expect(await server.process.exited).toBe(0);
  await reaches(`${agent.health}/readyz`, 503);
  const again = await programs.server({ args: [`--agent-port=${server.agentPort}`] });
  await reaches(`${again.health}/readyz`);
  await roundTrip(await again.dial(echoing.address));
});

it('two servers restart one after the other: the agent stays at one of them, and no connection is cut', async () => {
  const at = (host: string, id: string, ...more: string[]) =>
    programs.server({ args: [`--server-id=${id}`, `--agent-bind-address=${host}`, ...more] });
  const first = await at('127.0.0.1', 'first');
  const port = `--agent-port=${first.agentPort}`;
  const second = await at('127.0.0.2', 'second', port);
  await programs.agent(first, { args: ['--proxy-server-host=127.0.0.1,127.0.0.2'] });
  for (const server of [first, second]) await reaches(`${server.health}/readyz`);
  const restart = async (server: TunnelServer, other: TunnelServer, host: string, id: string) => {
    const open = await server.dial(echoing.address);
    await roundTrip(open);
    const busy = load(other);
    server.process.kill('SIGTERM');
    expect(await reaches(`${server.health}/readyz`, 500)).toBe('the server is stopping');
    for (let i = 0; i < 10; i++) await roundTrip(open);
    open.destroy();
    expect(await server.process.exited).toBe(0);
    const again = await at(host, id, port);
    await reaches(`${again.health}/readyz`);
    await roundTrip(await again.dial(echoing.address));
    expect(await busy.stop()).toBeGreaterThan(0);
    return again;
  };
  const newFirst = await restart(first, second, '127.0.0.1', 'new-first');
  await restart(second, newFirst, '127.0.0.2', 'new-second');
});

it('connections that do not end are cut after the drain time', async () => {
  const drain = ['--graceful-shutdown-timeout=300ms'];
  const { server, agent } = await programs.tunnel({ args: drain }, { args: drain });
  const open = await server.dial(echoing.address);
  await roundTrip(open);
  agent.process.kill('SIGTERM');
  expect(await agent.process.exited).toBe(0);
  if (!open.destroyed) await once(open, 'close');
  expect(await server.process.stop('SIGTERM')).toBe(0);
});

/** A path to a port that can lose its bytes without an end of its connections. */
async function breakablePath(to: number): Promise<{ port: number; break(): void; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(to, '127.0.0.1');
    for (const socket of [inside, outside]) sockets.add(socket.on('error', () => undefined));
    inside.pipe(outside).pipe(inside);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    break: () => sockets.forEach((socket) => socket.unpipe().pause()),
    server,
  };
}

it('an agent behind a broken path connects again, and the stale stream gets no dial', async () => {
  const keepAlive = ['--keepalive-time=300ms', '--keepalive-timeout=2s'];
  const server = await programs.server({ args: keepAlive });
  const path = await breakablePath(server.agentPort);
  const agent = await programs.agent(server, { port: path.port, args: keepAlive });
  await reaches(`${server.health}/readyz`);
  const open = await server.dial(echoing.address);
  await roundTrip(open);
  path.break();
  // Both sides find out, and the agent connects by a new connection.
  await agent.process.waitFor(/disconnected from a server/);
  await server.process.waitFor(/does not respond/);
  // Its error is the reason.
  if (!open.destroyed) await new Promise((closed) => open.once('close', closed));
  await reaches(`${server.health}/readyz`);
  await roundTrip(await server.dial(echoing.address));
  path.server.close();
});
