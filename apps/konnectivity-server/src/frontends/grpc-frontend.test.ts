import { expect, test } from 'vitest';
import { startServer } from '../server.fixture.ts';

test.each([0, 7])('data before a dial is refused with its connection ID: %d', async (connectId) => {
  const server = await startServer();
  const client = await server.client();
  client.packets.send({ type: 'DATA', connectId, error: '', data: Buffer.from('x') });
  expect(await client.next('CLOSE_RSP')).toEqual({
    type: 'CLOSE_RSP',
    error: 'backend not initialized',
    connectId,
  });
});
