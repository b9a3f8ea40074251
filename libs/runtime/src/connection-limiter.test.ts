import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ConnectionLimiter, type ConnectionLimits } from './connection-limiter.ts';

/** The part of a socket that the limiter uses. */
class Accepted extends EventEmitter {
  destroyed = false;
  readonly remoteAddress: string;

  constructor(remoteAddress = '10.0.0.1') {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function start(limits: Partial<ConnectionLimits>) {
  const closed: string[] = [];
  const all = { maxConnections: 0, maxConnectionsPerAddress: 0, ...limits };
  const limiter = new ConnectionLimiter(all, (address) => closed.push(address));
  const accept = (address?: string) => {
    const socket = new Accepted(address);
    return { socket, counted: limiter.accept(socket as unknown as Socket) };
  };
  return { closed, accept };
}

describe('connections beyond a limit', () => {
  it('without users take the place of the oldest of these, from a quarter of the limit on', () => {
    const { accept, closed } = start({ maxConnectionsPerAddress: 12 });
    const sockets = Array.from({ length: 5 }, () => accept().socket);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false, false, false]);
    expect(closed).toEqual(['10.0.0.1', '10.0.0.1']);
  });

  it('of another address have their own limit, and share one for all', () => {
    const { accept } = start({ maxConnections: 16, maxConnectionsPerAddress: 8 });
    const first = [accept('10.0.0.1'), accept('10.0.0.1')];
    const second = [accept('10.0.0.2'), accept('10.0.0.2')];
    accept('10.0.0.3');
    expect([...first, ...second].map(({ socket }) => socket.destroyed)).toEqual([true, false, false, false]);
  });

  it('of users stay open, and the new one is closed if they use the whole limit', () => {
    const { accept } = start({ maxConnectionsPerAddress: 4 });
    const users = Array.from({ length: 4 }, () => {
      const accepted = accept();
      accepted.counted?.authenticated();
      return accepted.socket;
    });
    const late = accept();
    expect(late.counted).toBeUndefined();
    expect([late.socket, ...users].map(({ destroyed }) => destroyed)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    users[0]?.destroy();
    expect(accept().counted).toBeDefined();
  });

  it.each([
    ['IPv4 beside IPv4 in IPv6', '10.0.0.1', '::ffff:10.0.0.1', true],
    ['one /64 network', '2001:db8::1', '2001:db8:0:0:ffff::2', true],
    ['one /64 network with a zone', 'fe80::1%eth0', 'fe80::2', true],
    ['two /64 networks', '2001:db8:0:1::1', '2001:db8:0:2::1', false],
    ['loopback and another', '::1', '1::', false],
  ])('%s', (_, first, second, isOne) => {
    const { accept } = start({ maxConnectionsPerAddress: 4 });
    const before = accept(first);
    accept(second);
    expect(before.socket.destroyed).toBe(isOne);
  });

  it('do not exist if the limits are 0', () => {
    const { accept, closed } = start({});
    for (let i = 0; i < 1000; i++) accept();
    expect(closed).toEqual([]);
  });
});
