import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort, startProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { annexCommand } from './annex-command.ts';
import { healthCheckOf, isHealthy } from './health.ts';

describe('a health check', () => {
  let server: Server;
  let port: number;

  beforeAll(async () => {
    server = createServer(({ url }, response) => {
      response.statusCode = url === '/ready' ? 200 : 503;
      response.end();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  it.each([
    ['passes on 200', async () => `http://127.0.0.1:${port}/ready`, true],
    ['fails with any other response', async () => `http://127.0.0.1:${port}/late`, false],
    ['fails if the port is closed', async () => `http://127.0.0.1:${await freePort()}/ready`, false],
  ])('%s, by the command and without it', async (_what, url, healthy) => {
    const command = ['annex', 'health', await url()];
    expect(await isHealthy(healthCheckOf(command))).toBe(healthy);
    const args = [annexCommand, ...command.slice(1)];
    const run = await startProcess(process.execPath, { args });
    expect(await run.exited).toBe(healthy ? 0 : 1);
  });

  it('by another command is refused', () => {
    expect(() => healthCheckOf(['curl', 'http://localhost'])).toThrow(
      'curl http://localhost is not annex health',
    );
  });
});
