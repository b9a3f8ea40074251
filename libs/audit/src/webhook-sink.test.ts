import { createServer } from 'node:http';
import { Client } from '@annex/client';
import { FakeClock, holdTimeouts, sendWithoutEnd, startSilentServer } from '@annex/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { AuditEvent } from './audit-event.ts';
import {
  auditStopTimeoutMs,
  auditWebhookTimeoutMs,
  eventListSender,
  maxAuditResponseBytes,
} from './webhook-sink.ts';

const event = { itemJson: () => '{}', json: () => '{}' } as unknown as AuditEvent;
const attempts = 5;
/** A clock that does not wait. */
const clock = Object.assign(new FakeClock(), { sleep: () => Promise.resolve() });

it('gives up after five attempts without a response within auditWebhookTimeoutMs', async () => {
  const timeouts = holdTimeouts();
  const server = await startSilentServer();
  const client = new Client({ server: server.url, ca: server.ca });
  onTestFinished(async () => {
    client.close();
    await server[Symbol.asyncDispose]();
    timeouts[Symbol.dispose]();
  });
  let arrived = server.requested();
  const sent = eventListSender({ client, clock, initialBackoffMs: 1 })([event]).catch(
    (error: Error) => error,
  );
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await Promise.race([arrived, sent]);
    arrived = server.requested();
    expect(timeouts.expire(auditWebhookTimeoutMs)).toBe(1);
  }
  expect(await sent).toBeInstanceOf(Error);
  expect(auditWebhookTimeoutMs).toBe(30_000);
});

it('a response of more than maxAuditResponseBytes is an error', async () => {
  const server = createServer((request, response) => {
    requests++;
    request.resume();
    response.on('error', () => undefined);
    sendWithoutEnd(response);
  });
  let requests = 0;
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const client = new Client({ server: `http://127.0.0.1:${port}` });
  onTestFinished(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const send = eventListSender({ client, clock, initialBackoffMs: 1 });
  await expect(send([event])).rejects.toThrow(String(maxAuditResponseBytes));
  await vi.waitFor(() => expect(requests).toBe(attempts));
});

it('a stop ends the wait for the next attempt, which is the last one', async () => {
  const stopping = new AbortController();
  let sent = 0;
  const client = { send: () => Promise.reject(new Error(`attempt ${++sent} failed`)) };
  const send = eventListSender({
    client,
    clock: new FakeClock(),
    initialBackoffMs: 10_000,
    stopping: stopping.signal,
  });
  const first = send([event]);
  await vi.waitFor(() => expect(sent).toBe(1));
  stopping.abort();
  await expect(first).rejects.toThrow('attempt 2 failed');
  await expect(send([event])).rejects.toThrow('attempt 3 failed');
});

it('an attempt that does not end is given up auditStopTimeoutMs after the beginning of a stop', async () => {
  const stopping = new AbortController();
  const clock = new FakeClock();
  const client = {
    send: ({ signal }: { signal?: AbortSignal }) =>
      new Promise<never>((_, reject) =>
        signal?.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
  };
  const send = eventListSender({ client, clock, initialBackoffMs: 10, stopping: stopping.signal });
  const sent = send([event]);
  let isOver = false;
  sent.catch(() => (isOver = true));
  stopping.abort();
  await clock.advance(auditStopTimeoutMs - 1);
  expect(isOver).toBe(false);
  await clock.advance(1);
  await expect(sent).rejects.toThrow('the process stops');
});
