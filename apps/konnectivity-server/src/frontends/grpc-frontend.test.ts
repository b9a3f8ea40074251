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

test('connections of one stream through two agents close, though they have the same ID', async () => {
  const server = await startServer();
  const client = await server.client();
  const connect = async (id: string, random: bigint) => {
    const agent = await server.agent(id);
    client.packets.send({ type: 'DIAL_REQ', protocol: 'tcp', address: 'a:1', random });
    await agent.next('DIAL_REQ');
    agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
    await client.next('DIAL_RSP');
    // Another agent gets the next dial. The response to the data shows that the server knows.
    agent.packets.send({ type: 'DRAIN' });
    agent.packets.send({ type: 'DATA', connectId: 2, error: '', data: Buffer.from('x') });
    expect(await agent.next('CLOSE_REQ')).toMatchObject({ connectId: 2 });
    return agent;
  };
  const agents = [await connect('first', 1n), await connect('second', 2n)];
  client.session.destroy();
  for (const agent of agents) expect(await agent.next('CLOSE_REQ')).toMatchObject({ connectId: 1 });
});
