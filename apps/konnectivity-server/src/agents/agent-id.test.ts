import { expect, test } from 'vitest';
import { startServer } from '../server.fixture.ts';

const refusal = 'the agent ID "node-2" is not the common name of the certificate';

test('with --agent-id-from-certificate, an agent cannot claim the ID of another', async () => {
  const server = await startServer(['--agent-id-from-certificate']);
  await server.agent('node-1', { certificate: 'node-1' });
  await expect(server.agent('node-2', { certificate: 'node-1' })).rejects.toThrow(refusal);
  expect(await server.value('ready_backend_connections')).toBe(1);
});

test('by default, agents share a certificate', async () => {
  const server = await startServer();
  await server.agent('node-1');
  await server.agent('node-2');
  expect(await server.value('ready_backend_connections')).toBe(2);
});
