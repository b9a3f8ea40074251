import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ConnectionLimiter } from '@annex/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { LimitedListener } from './limited-listener.ts';

let listener: LimitedListener;
let limits: Socket[];
let clients: Socket[];
afterEach(() => {
  listener.close();
  for (const socket of [...clients, ...limits]) socket.destroy();
});

/**
 * A listener with room for four connections, and one without a call. Resolves to a function that connects.
 */
async function start(): Promise<() => Promise<Socket>> {
  limits = [];
  clients = [];
  const arrivals: ((socket: Socket) => void)[] = [];
  const limiter = new ConnectionLimiter({ maxConnections: 4, maxConnectionsPerAddress: 0 });
  listener = new LimitedListener(limiter, (socket) => {
    limits.push(socket);
    arrivals.shift()?.(socket);
  });
  const port = await listener.listen('127.0.0.1', 0);
  return async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    arrivals.push(resolve);
    clients.push(connect(port, '127.0.0.1').on('error', () => undefined));
    return await promise;
  };
}

const call = ({ remoteAddress, remotePort }: Socket): void =>
  listener.called(`${remoteAddress}:${remotePort}`);

describe('a connection to the etcd listener', () => {
  it('without a call is closed in favor of a new one', async () => {
    const dial = await start();
    const idle = await dial();
    const closed = once(idle, 'close');
    await dial();
    await closed;
  });

  it('with a call is kept', async () => {
    const dial = await start();
    const used = [await dial()];
    for (let i = 0; i < 3; i++) {
      call(used.at(-1) as Socket);
      used.push(await dial());
    }
    expect(used.map(({ destroyed }) => destroyed)).toEqual([false, false, false, false]);
  });
});
