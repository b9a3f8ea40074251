import { KeepAlive } from '@annex/tunnel';
import { expect, test } from 'vitest';
import { startServer } from '../server.fixture.ts';
import { Dial } from '../tunnel/dial.ts';
import { Agent } from './agent.ts';
import { AgentPool } from './agent-pool.ts';
import { Identifiers } from './identifiers.ts';

const dial = { type: 'DIAL_REQ', protocol: 'tcp', address: 'a:1', random: 5n } as const;

test('the late response of a dial that was given up belongs to no other dial with the same name', async () => {
  const server = await startServer();
  const agent = await server.agent('slow');
  const [first, second] = [await server.client(), await server.client()];
  first.packets.send(dial);
  const { random } = await agent.next('DIAL_REQ');
  first.packets.send({ type: 'DIAL_CLS', random: 5n });
  await agent.next('DIAL_CLS');
  second.packets.send(dial);
  const next = await agent.next('DIAL_REQ');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
  expect(await agent.next('CLOSE_REQ')).toEqual({ type: 'CLOSE_REQ', connectId: 1 });
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 2, random: next.random });
  expect(await second.next('DIAL_RSP')).toMatchObject({ connectId: 2, random: 5n });
});

test('an agent whose stream is ending gets no dials', async () => {
  const server = await startServer();
  const { packets, session } = await server.agent('ending');
  const keepAlive = new KeepAlive(session, { intervalMs: 60_000, timeoutMs: 1_000 }, () => undefined);
  const description = { id: 'ending', identifiers: new Identifiers(''), extensions: new Set<string>() };
  const agent = new Agent(description, packets, { keepAlive, unrecognized() {}, gave() {}, wrote() {} });
  const agents = new AgentPool(['default']);
  agents.add(agent);
  packets.end();
  const failures: string[] = [];
  const handler = {
    connected: () => expect.unreachable(),
    failed: (text: string) => void failures.push(text),
  };
  new Dial({ agents, timeoutMs: 60_000, observed() {}, failed() {} }, dial, handler);
  expect(failures).toEqual([
    'the agent ending disconnected during the dial, and no other agent is available',
  ]);
  expect(agent.pendingDials).toBe(0);
});
