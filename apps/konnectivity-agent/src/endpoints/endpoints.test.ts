import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { connectEndpoint } from './connect-endpoint.ts';
import { endpointRules } from './endpoint-rules.ts';

const loopback = endpointRules(['127.0.0.0/8']);

test.each([
  ['no port', 'tcp', '127.0.0.1', 'dial tcp: address 127.0.0.1: missing port in address'],
  ['too many colons', 'tcp', '::1:80', 'dial tcp: address ::1:80: too many colons in address'],
  ['no address', 'tcp', '', 'dial tcp: missing address'],
  ['no closing bracket', 'tcp', '[::1', "dial tcp: address [::1: missing ']' in address"],
  ['a port without a colon', 'tcp', '[::1]x:1', 'dial tcp: address [::1]x:1: missing port in address'],
  ['two ports', 'tcp', '[::1]:1:1', 'dial tcp: address [::1]:1:1: too many colons in address'],
  ['an opening bracket inside', 'tcp', '[[::1]:1', "dial tcp: address [[::1]:1: unexpected '[' in address"],
  ['a closing bracket inside', 'tcp', 'a]:1', "dial tcp: address a]:1: unexpected ']' in address"],
  ['an empty port', 'tcp', '127.0.0.1:', 'dial tcp 127.0.0.1:0: connect: connection refused'],
  ['a port with a sign', 'tcp', '127.0.0.1:+1', 'dial tcp 127.0.0.1:1: connect: connection refused'],
  ['a negative port', 'tcp', '127.0.0.1:-1', 'dial tcp: address -1: invalid port'],
  ['the name of a port', 'tcp', '127.0.0.1:Gopher', 'dial tcp 127.0.0.1:70: connect: connection refused'],
  ['a mapped address', 'tcp', '[::ffff:7f00:1]:1', 'dial tcp 127.0.0.1:1: connect: connection refused'],
  ['a label that begins with a hyphen', 'tcp', '-x.invalid:1', 'dial tcp: lookup -x.invalid: no such host'],
  ['an empty label', 'tcp', 'x..y:1', 'dial tcp: lookup x..y: no such host'],
  ['a label that is too long', 'tcp', `${'a'.repeat(64)}:1`, `lookup ${'a'.repeat(64)}: no such host`],
  ['a name that is no address', 'tcp', '256.0.0.1:1', 'dial tcp: lookup 256.0.0.1: no such host'],
  ['a service name', 'tcp', '127.0.0.1:nope', 'dial tcp: lookup tcp/nope: unknown port'],
  ['a port that is too large', 'tcp', '127.0.0.1:65536', 'dial tcp: address 65536: invalid port'],
  ['nothing listens', 'tcp', '127.0.0.1:1', 'dial tcp 127.0.0.1:1: connect: connection refused'],
  ['no protocol', '', '127.0.0.1:1', 'dial: unknown network '],
  ['udp', 'udp', '127.0.0.1:1', 'dial udp: the agent connects by tcp only'],
  ['a Unix socket', 'unix', '/run/x', 'dial unix: the agent connects by tcp only'],
  [
    'no rule',
    'tcp',
    '10.0.0.1:1',
    'dial tcp 10.0.0.1:1: --allow-destinations of the agent does not allow it',
  ],
])('%s', async (_sentence, protocol, address, message) => {
  await expect(connectEndpoint(protocol, address, loopback, new AbortController())).rejects.toThrow(message);
});

test('a name that does not exist', async () => {
  await expect(
    connectEndpoint('tcp', 'no-such-host.invalid:1', loopback, new AbortController()),
  ).rejects.toThrow(/^dial tcp: lookup no-such-host.invalid on \S+:53: no such host$/);
});

test('a dial that is given up is aborted', async () => {
  const dial = new AbortController();
  dial.abort();
  await expect(connectEndpoint('tcp', '127.0.0.1:1', loopback, dial)).rejects.toThrow('i/o timeout');
});

test('a destination of the rules is connected, by its name too', async () => {
  const server = createServer((socket) => socket.end('x'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const rules of [loopback, endpointRules(['localhost'])]) {
    const socket = await connectEndpoint('tcp', `localhost:${port}`, rules, new AbortController());
    expect(String((await once(socket, 'data'))[0])).toBe('x');
    socket.destroy();
  }
  server.close();
});

// The C library reads these names as addresses, Go looks them up.
test.each(['0', '127.1', '2130706433', '0177.0.0.1', '0x7f000001', '0x7f.1', '127.0.0.0x1'])(
  'the name %s is no notation of an address, whatever the rules',
  async (host) => {
    await expect(
      connectEndpoint('tcp', `${host}:1`, endpointRules(['0.0.0.0/0']), new AbortController()),
    ).rejects.toThrow(/lookup \S+( on \S+)?: no such host$/);
  },
);

test('no notation of an own address reaches this machine', async () => {
  const server = createServer((socket) => socket.destroy());
  await once(server.listen(0, '::'), 'listening');
  const { port } = server.address() as AddressInfo;
  let connections = 0;
  server.on('connection', () => connections++);
  const hosts =
    '127.1 0x7f.1 2130706433 017700000001 0 0.0.0.0 localhost LOCALHOST localhost. [::] [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:7f00:1]';
  for (const host of ['', ' 127.0.0.1', '127.0.0.1\0', ...hosts.split(' ')])
    await expect(
      connectEndpoint('tcp', `${host}:${port}`, endpointRules([]), new AbortController()),
    ).rejects.toThrow('dial');
  expect(connections).toBe(0);
  server.close();
});

test.each([
  ['127.0.0.1', false],
  ['127.9.9.9', false],
  ['::1', false],
  ['::ffff:127.0.0.1', false],
  ['0.0.0.0', false],
  ['169.254.169.254', false],
  ['fe80::1', false],
  ['10.0.0.1', true],
  ['2001:db8::1', true],
])('without rules, %s is allowed: %s', (host, isAllowed) => {
  expect(endpointRules([]).allowsAddress({ host, port: 80 })).toBe(isAllowed);
});
