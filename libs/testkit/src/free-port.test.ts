import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePorts } from './free-port.ts';

it('ports are different, free, and outside of the ephemeral range', async () => {
  const ports = await freePorts(40);
  expect(new Set(ports).size).toBe(40);
  expect(ports.filter((port) => port < 15_000 || port >= 32_000)).toEqual([]);
  const servers = ports.map((port) => createServer().listen(port, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  for (const server of servers) server.close();
});
