import type { NetworkInterfaceInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { chooseHostAddress, isUnspecified } from './host-address.ts';

const at = (address: string): NetworkInterfaceInfo => {
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  const internal = address.startsWith('127.') || address === '::1';
  return { address, family, internal, netmask: '', mac: '', cidr: null, scopeid: 0 } as NetworkInterfaceInfo;
};
const lo = [at('127.0.0.1'), at('::1')];
const header = 'Iface\tDestination\tGateway\tFlags\n';
const eth1 = 'eth1\t00000000\t010200C0\t0003\n';
const local = 'eth0\t000200C0\t00000000\t0001\n';
const zero = '0'.repeat(32);
const eth2 = `${zero} 00 ${zero} 00 fe80${'0'.repeat(27)}1 00000400 00000003 00000000 00000003 eth2\n`;
const loopback6 = `${zero} 00 ${zero} 00 ${zero} ffffffff 00000001 00000000 00200200 lo\n`;

const choose = (
  bindAddress: string,
  interfaces: Record<string, NetworkInterfaceInfo[]>,
  route?: string,
  route6?: string,
) =>
  chooseHostAddress(bindAddress, {
    interfaces: () => interfaces,
    read: (path) => (path === '/proc/net/route' ? route : route6),
  });

describe('the address of the machine', () => {
  const two = {
    lo,
    eth0: [at('192.0.2.1')],
    eth1: [at('169.254.1.1'), at('198.51.100.1'), at('2001:db8::1')],
  };
  const six = { ...two, eth2: [at('fe80::2'), at('2001:db8::2')] };
  it.each([
    [
      'is that of the interface of the default route',
      '0.0.0.0',
      two,
      header + local + eth1,
      '',
      '198.51.100.1',
    ],
    ['is of IPv4 if there is one', '0.0.0.0', six, header + eth1, eth2, '198.51.100.1'],
    ['is of IPv6 if the bind address is', '::', six, header + eth1, eth2, '2001:db8::2'],
    ['is of IPv6 if only IPv6 has a default route', '0.0.0.0', six, header + local, eth2, '2001:db8::2'],
    [
      'may be that of the loopback',
      '0.0.0.0',
      { lo: [...lo, at('203.0.113.1')], eth1: [] },
      eth1,
      '',
      '203.0.113.1',
    ],
    ['is any global address if the routes cannot be read', '0.0.0.0', two, undefined, '', '192.0.2.1'],
  ])('%s', (_, bindAddress, interfaces, route, route6, address) => {
    expect(choose(bindAddress, interfaces, route, route6)).toBe(address);
  });

  it.each([
    [
      two,
      header + local,
      loopback6,
      'no default routes found in "/proc/net/route" or "/proc/net/ipv6_route"',
    ],
    [{ lo, eth1: [at('169.254.1.1')] }, eth1, '', 'unable to select an IP from default routes.'],
    [{ lo }, undefined, '', 'no acceptable interface with global unicast address found on host'],
  ])('cannot be determined', (interfaces, route, route6, why) => {
    expect(() => choose('0.0.0.0', interfaces, route, route6)).toThrow(new Error(why));
  });
});

it.each(['0.0.0.0', '::', '0:0:0:0:0:0:0:0'])('%s stands for all addresses', (address) => {
  expect(isUnspecified(address)).toBe(true);
});

it.each(['127.0.0.1', '::1', '10.0.0.0', 'localhost'])('%s is a single address', (address) => {
  expect(isUnspecified(address)).toBe(false);
});
