import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { destination } from './konnectivity/destinations.ts';
import { type Mode, TunnelPrograms } from './konnectivity/programs.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/

it.each<[Mode, Mode]>([
  ['grpc', 'http-connect'],
  ['http-connect', 'grpc'],
])('KON-004 KON-020 a server with --mode=%s serves no client of %s', async (mode, other) => {
  await using programs = new TunnelPrograms();
  await using greeting = await destination((socket) => void socket.end('hello'));
  const { server } = await programs.tunnel({ mode });
  await expect(programs.dialBy(other, server)(greeting.address)).rejects.toThrow();
  expect(await text(await server.dial(greeting.address))).toBe('hello');
});
