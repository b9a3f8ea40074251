import { Client } from '@annex/client';
import { nullLogger } from '@annex/runtime';
import { holdTimeouts, startSilentServer } from '@annex/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { Api, controllerTimeoutMs } from './api.ts';

it.each<[string, (api: Api) => Promise<unknown>]>([
  ['a request', (api) => api.json({ path: '/a' })],
  ['a conditional request', (api) => api.conditional('/a', 'application/json', undefined)],
])('%s without a response within controllerTimeoutMs is an error', async (_what, send) => {
  const timeouts = holdTimeouts();
  const server = await startSilentServer();
  const client = new Client({ server: server.url, ca: server.ca });
  onTestFinished(async () => {
    client.close();
    await server[Symbol.asyncDispose]();
    timeouts[Symbol.dispose]();
  });
  const arrived = server.requested();
  const failed = send(new Api(client, new AbortController().signal, nullLogger)).catch(
    (error: Error) => error,
  );
  await Promise.race([arrived, failed]);
  expect(timeouts.expire(controllerTimeoutMs)).toBe(1);
  expect(await failed).toBeInstanceOf(Error);
  expect(controllerTimeoutMs).toBe(30_000);
});
