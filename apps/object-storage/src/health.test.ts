import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { createMetrics, defaultConnectionLimits } from '@annex/runtime';
import { createMemoryStore } from '@annex/storage';
import { expect, it, onTestFinished } from 'vitest';
import { HealthServer, maxRequestsPerConnection } from './health.ts';

it('a connection ends after maxRequestsPerConnection requests', async () => {
  const store = createMemoryStore();
  const server = new HealthServer(store, createMetrics(), defaultConnectionLimits);
  const url = await server.listen('http://127.0.0.1:0');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(async () => {
    agent.destroy();
    await server.stop();
  });
  const endings: (string | undefined)[] = [];
  for (let sent = 0; sent < maxRequestsPerConnection; sent++) {
    const [response] = (await once(get(`${url}/health`, { agent }), 'response')) as [IncomingMessage];
    endings.push(response.headers.connection);
    await once(response.resume(), 'end');
  }
  expect(endings.slice(0, -1)).toEqual(new Array(maxRequestsPerConnection - 1).fill('keep-alive'));
  expect(endings.at(-1)).toBe('close');
});
