import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { inspect } from 'node:util';
import { holdTimeouts } from '@annex/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { dialThroughProxy, proxyTimeoutMs } from './dial-through-proxy.ts';

const tls = { secureContext: createSecureContext(), rejectUnauthorized: true };
const to = { host: '10.0.0.1', port: 443 };

/** A proxy that never responds. */
async function silentProxy(): Promise<{ port: number; requested: Promise<unknown> }> {
  const sockets: Socket[] = [];
  const requested = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.once('data', () => requested.resolve());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requested: requested.promise };
}

it.each(['http', 'https'])(
  'an %s proxy without a response within proxyTimeoutMs is given up',
  async (scheme) => {
    using timeouts = holdTimeouts();
    const { port, requested } = await silentProxy();
    const failed = dialThroughProxy(new URL(`${scheme}://127.0.0.1:${port}`), to, tls).catch(
      (error: Error) => error.name,
    );
    await requested;
    expect(timeouts.expire(proxyTimeoutMs)).toBe(1);
    expect(await failed).toBe('AbortError');
  },
);

it('a SOCKS proxy without a response within proxyTimeoutMs is given up', async () => {
  const { port, requested } = await silentProxy();
  await import('socks');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const failed = dialThroughProxy(new URL(`socks5://127.0.0.1:${port}`), to, tls).catch(
    (error: Error) => error.message,
  );
  await requested;
  await vi.advanceTimersByTimeAsync(proxyTimeoutMs);
  expect(await failed).toBe('Proxy connection timed out');
});

it('the error of a SOCKS proxy has a code, and not the credentials', async () => {
  const server = createServer((socket) => void socket.destroy());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const failure = () =>
    dialThroughProxy(new URL(`socks5://jane:secret@127.0.0.1:${port}`), to, tls).catch(
      (error: Error) => error,
    );
  const closed = await failure();
  expect(closed).toMatchObject({ code: 'EPROXY' });
  server.close();
  await once(server, 'close');
  const refused = await failure();
  expect(refused).toMatchObject({
    code: 'ECONNREFUSED',
    message: `the proxy 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
  expect(inspect([closed, refused], { depth: 9 })).not.toContain('secret');
});
