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

test('a server that stops tells its clients', async () => {
  const server = await startServer();
  const agent = await server.agent('agent');
  const client = await server.client();
  client.packets.send({ type: 'DIAL_REQ', protocol: 'tcp', address: 'a:1', random: 1n });
  await agent.next('DIAL_REQ');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: 1n });
  await client.next('DIAL_RSP');
  const stopped = server.stop();
  expect(await client.next('CLOSE_RSP')).toMatchObject({ connectId: 1 });
  await stopped;
});

test.each([
  ['that is no protobuf', 'ff ff ff ff', /^grpc: failed to unmarshal the received message: /],
  ['whose client waits no longer', undefined, /^context deadline exceeded$/],
])('a stream %s fails with the status of grpc-go', async (_sentence, message, expected) => {
  const server = await startServer();
  const client = await server.client({ 'grpc-timeout': message === undefined ? '1m' : '1H' });
  if (message !== undefined) client.packets.sendMessage(Buffer.from(message.replaceAll(' ', ''), 'hex'));
  expect((await client.closed)?.message).toMatch(expected);
});
