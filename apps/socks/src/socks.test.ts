import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { DestinationRules, nullLogger } from '@annex/runtime';
import { SocksClient } from 'socks';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Accounts, maxCredentialBytes } from './accounts.ts';
import { socksDialTimeoutMs } from './limits.ts';
import { createSocksServer, type SocksSetting } from './socks-server.ts';

const opened: (Server | Socket)[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) {
    if ('destroy' in one) one.destroy();
    else one.close();
  }
});

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  opened.push(server);
  server.on('connection', (socket) => opened.push(socket));
  await once(server.listen(0, host), 'listening');
  return (server.address() as AddressInfo).port;
}

/** A server that returns what it received when the client has ended its side. */
const echo = (host?: string): Promise<number> =>
  listening(
    createServer({ allowHalfOpen: true }, (socket) => void buffer(socket).then((bytes) => socket.end(bytes))),
    host,
  );

const socksServer = (
  rules: readonly string[],
  accounts?: string,
  more: Partial<SocksSetting> = {},
): Promise<number> =>
  listening(
    createSocksServer({
      ...more,
      rules: () => new DestinationRules(rules),
      accounts: accounts === undefined ? undefined : () => new Accounts(accounts),
      maxConnections: 10,
      log: nullLogger,
    }),
  );

async function connectBy(
  proxy: number,
  to: { host: string; port: number },
  credentials: { userId?: string; password?: string } = {},
): Promise<Socket> {
  const { socket } = await SocksClient.createConnection({
    proxy: { host: '127.0.0.1', port: proxy, type: 5, ...credentials },
    command: 'connect',
    destination: to,
  });
  opened.push(socket);
  return socket;
}

/** Sends bytes as they are, and returns everything that comes back until the end. */
async function exchange(proxy: number, ...bytes: number[]): Promise<number[]> {
  const socket = connect(proxy, '127.0.0.1');
  opened.push(socket);
  socket.write(Uint8Array.from(bytes));
  return [...(await buffer(socket))];
}

describe('a SOCKS5 server', () => {
  it.each([
    ['an IPv4 address', '127.0.0.1', '127.0.0.1', '127.0.0.0/8'],
    ['an IPv6 address', '::1', '::1', '::1'],
    ['a name that a rule has', 'localhost', '127.0.0.1', 'localhost'],
    ['a name whose address a rule has', 'localhost', '127.0.0.1', '127.0.0.1'],
  ])('connects to %s, and passes bytes after one side has ended', async (_what, host, at, rule) => {
    const port = await echo(at);
    const socket = await connectBy(await socksServer([rule]), { host, port });
    socket.end('a'.repeat(100_000));
    expect((await buffer(socket)).length).toBe(100_000);
  });

  it.each([
    ['an address outside of the rules', '127.0.0.1', ['10.0.0.0/8']],
    ['another port', '127.0.0.1', ['127.0.0.1:1']],
    ['a name whose address has no rule', 'localhost', ['10.0.0.0/8', 'example.com']],
    ['a name that does not exist, as if it were not allowed', 'no.such.host.invalid', ['10.0.0.0/8']],
  ])('refuses %s', async (_what, host, rules) => {
    const proxy = await socksServer(rules);
    await expect(connectBy(proxy, { host, port: await echo() })).rejects.toThrow('NotAllowed');
  });

  it('says that a destination refused the connection', async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    const proxy = await socksServer(['127.0.0.1']);
    await expect(connectBy(proxy, { host: '127.0.0.1', port })).rejects.toThrow('ConnectionRefused');
  });

  it('passes bytes that arrive with the request', async () => {
    const port = await echo();
    const socket = connect(await socksServer(['127.0.0.1']), '127.0.0.1');
    opened.push(socket);
    socket.end(Uint8Array.of(5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255, 104, 105));
    expect((await buffer(socket)).subarray(12).toString()).toBe('hi');
  });

  it('reads a request that arrives byte by byte', async () => {
    const port = await echo();
    const socket = connect(await socksServer(['127.0.0.1']), '127.0.0.1');
    opened.push(socket.setNoDelay(true));
    for (const byte of [5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255, 104]) {
      socket.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    socket.end();
    expect((await buffer(socket)).subarray(12).toString()).toBe('h');
  });

  it('requires credentials if it has accounts', async () => {
    const proxy = await socksServer(['127.0.0.1'], '# users\njane:a:b\n');
    const to = { host: '127.0.0.1', port: await echo() };
    const socket = await connectBy(proxy, to, { userId: 'jane', password: 'a:b' });
    socket.end('x');
    expect((await buffer(socket)).toString()).toBe('x');
    await expect(connectBy(proxy, to, { userId: 'jane', password: 'c' })).rejects.toThrow('Authentication');
    await expect(connectBy(proxy, to, { userId: 'jane:a', password: 'b' })).rejects.toThrow('Authentication');
    expect(await exchange(proxy, 5, 1, 0)).toEqual([5, 0xff]);
  });

  it('closes a connection without a request after socksHandshakeTimeoutMs', async () => {
    const proxy = await socksServer(['127.0.0.1'], undefined, { handshakeTimeoutMs: 20 });
    expect(await exchange(proxy, 5)).toEqual([]);
    expect(await exchange(proxy, 5, 1, 0, 5)).toEqual([5, 0]);
  });

  it.each([
    ['SOCKS4', [4, 1, 0, 80, 127, 0, 0, 1, 0], []],
    ['HTTP', [...Buffer.from('GET / HTTP/1.1\r\n\r\n')], []],
    ['BIND', [5, 1, 0, 5, 2, 0, 1, 127, 0, 0, 1, 0, 80], [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]],
    ['UDP ASSOCIATE', [5, 1, 0, 5, 3, 0, 1, 127, 0, 0, 1, 0, 80], [5, 0, 5, 7, 0, 1, 0, 0, 0, 0, 0, 0]],
    ['an unknown type of address', [5, 1, 0, 5, 1, 0, 9], [5, 0, 5, 8, 0, 1, 0, 0, 0, 0, 0, 0]],
    [
      'a name with a line feed',
      [5, 1, 0, 5, 1, 0, 3, 2, 97, 10, 0, 80],
      [5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0],
    ],
    ['an empty name', [5, 1, 0, 5, 1, 0, 3, 0, 0, 80], [5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0]],
  ])('refuses %s', async (_what, bytes, expected) => {
    expect(await exchange(await socksServer(['127.0.0.1']), ...bytes)).toEqual(expected);
  });
});

it.each([
  ['no password', 'jane'],
  ['an empty user', ':a'],
  ['a password of more than 255 bytes', `jane:${'é'.repeat(maxCredentialBytes / 2 + 1)}`],
])('credentials with %s are invalid', (_what, line) => {
  expect(() => new Accounts(`# first\njoe:b\n${line}`)).toThrow(
    'user 2 of the credentials is not user:password',
  );
});

it.each([
  ['a.test:0', 'a.test:0 has an invalid port'],
  ['10.0.0.0/33', '10.0.0.0/33 is neither a host, nor an address, nor a network'],
  ['*', '* is neither a host, nor an address, nor a network'],
])('the rule %s is invalid', (rule, message) => {
  expect(() => new DestinationRules([rule])).toThrow(message);
});

it.each([
  ['*.a.test', 'b.a.test', 1, true],
  ['*.a.test', 'a.test', 1, false],
  ['A.test:2', 'a.test', 2, true],
  ['a.test', 'b.a.test', 1, false],
])('the rule %s and the name %s', (rule, host, port, isAllowed) => {
  expect(new DestinationRules([rule]).allowsName({ host, port })).toBe(isAllowed);
});

it.each([
  ['[2001:db8::]:6443', '2001:db8::', 6443, true],
  ['[2001:db8::]:6443', '2001:db8::', 6444, false],
  ['2001:db8::/32', '2001:db8::9', 1, true],
  ['0.0.0.0/0', '::1', 1, false],
])('the rule %s and the address %s', (rule, host, port, isAllowed) => {
  expect(new DestinationRules([rule]).allowsAddress({ host, port })).toBe(isAllowed);
});

it.each([
  ['a connection', '127.0.0.1', '127.0.0.1'],
  ['the lookup of a name', 'localhost', '10.0.0.0/8'],
])(
  '%s that takes longer than socksDialTimeoutMs gets the reply 6, TTL expired',
  async (_what, host, rule) => {
    const timeout = AbortSignal.timeout;
    const expiring = vi
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((ms) =>
        ms === socksDialTimeoutMs ? AbortSignal.abort() : timeout.call(AbortSignal, ms),
      );
    onTestFinished(() => expiring.mockRestore());
    const proxy = await socksServer([rule]);
    await expect(connectBy(proxy, { host, port: await echo() })).rejects.toThrow('TTLExpired');
  },
);
