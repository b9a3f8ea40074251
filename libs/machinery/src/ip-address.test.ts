import { describe, expect, it } from 'vitest';
import { IpAddress, IpAddressError } from './ip-address.ts';

describe('IpAddress', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', 4],
    ['2001:DB8::ABCD', '2001:db8::abcd', 6],
    ['2001:db8::0:0:0:abcd', '2001:db8::abcd', 6],
    ['::', '::', 6],
    ['::1', '::1', 6],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3', 6],
    ['fe80::1%eth0', 'fe80::1%eth0', 6],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.4', 6],
    ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', 6],
  ] as const)('reads %s as %s', (text, canonical, family) => {
    const address = IpAddress.parse(text);
    expect(address.toString()).toBe(canonical);
    expect(address.family).toBe(family);
  });

  it.each([
    ['', 'unable to parse IP'],
    ['1.2.3', 'IPv4 address too short'],
    ['1.2.3.4.5', 'IPv4 address too long'],
    ['1.2.3.256', 'IPv4 field has value >255'],
    ['1.2.3.04', 'IPv4 field has octet with leading zero'],
    ['1..2.3', 'IPv4 field must have at least one digit (at ".2.3")'],
    ['1.2.3.x', 'unexpected character (at "x")'],
    [':::1', 'each colon-separated field must have at least one digit (at ":1")'],
    ['1::2::3', 'multiple :: in address (at ":3")'],
    ['1:2', 'address string too short'],
    ['1:', 'colon must be followed by more characters (at ":")'],
    ['12345::', 'each group must have 4 or less digits (at "12345::")'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['1:2:3:4:5:6:7:8::', 'the :: must expand to at least one field of zeros'],
    ['fe80::1%', 'zone must be a non-empty string'],
    ['%eth0', 'missing IPv6 address'],
  ])('refuses %j', (text, why) => {
    expect(() => IpAddress.parse(text)).toThrow(new IpAddressError(text, why));
  });

  it('keeps the first bits of a masked address', () => {
    expect(IpAddress.parse('192.168.13.37').masked(20).toString()).toBe('192.168.0.0');
    expect(IpAddress.parse('2001:db8:ffff::1').masked(33).toString()).toBe('2001:db8:8000::');
  });
});
