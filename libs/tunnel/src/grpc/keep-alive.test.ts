import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { KeepAlive } from './keep-alive.ts';
import { connectionOf, connectSession } from './sessions.ts';

const frame = (type: number, payload: number[] = []): Buffer =>
  Buffer.from([0, 0, payload.length, type, 0, 0, 0, 0, 0, ...payload]);
const [settings, windowUpdate] = [frame(4), frame(8, [0, 0, 0, 1])];
/** The head of a PING frame. */
const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0]);

/** A session with a peer that responds to no ping, and what the peer has received. */
async function frozenPeer() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const accepted = once(server, 'connection');
  const session = connectSession(() => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  session.on('error', () => undefined);
  const [peer] = (await accepted) as [Socket];
  let received = Buffer.alloc(0);
  peer.on('error', () => undefined);
  peer.on('data', (chunk: Buffer) => (received = Buffer.concat([received, chunk])));
  peer.write(settings);
  await once(session, 'remoteSettings');
  onTestFinished(() => {
    session.destroy();
    peer.destroy();
    server.close();
  });
  return { session, peer, received: () => received };
}

/** Waits without timers: they are not real. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

it('a peer that freezes right after it has sent something is found after both times', async () => {
  const { session, peer, received } = await frozenPeer();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let isDead = false;
  const keepAlive = new KeepAlive(session, { intervalMs: 2_000, timeoutMs: 3_000 }, () => (isDead = true));
  const before = connectionOf(session).bytesRead;
  peer.write(windowUpdate);
  await until(() => connectionOf(session).bytesRead > before);
  vi.advanceTimersByTime(2_000);
  await until(() => received().includes(ping));
  expect(keepAlive.isWaiting).toBe(true);
  vi.advanceTimersByTime(3_000);
  await until(() => isDead);
  keepAlive.stop();
});

it('a peer that sends without responding is not silent', async () => {
  const { session, peer } = await frozenPeer();
  const keepAlive = new KeepAlive(session, { intervalMs: 60_000, timeoutMs: 60_000 }, () => undefined);
  keepAlive.check();
  expect(keepAlive.isWaiting).toBe(true);
  peer.write(windowUpdate);
  await until(() => !keepAlive.isWaiting);
  keepAlive.stop();
});
