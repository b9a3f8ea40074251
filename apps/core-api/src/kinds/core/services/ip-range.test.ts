import { describe, expect, it } from 'vitest';
import { IpRange } from './ip-range.ts';

describe('IpRange', () => {
  it('counts addresses from the one after the network', () => {
    const range = new IpRange('10.0.0.0/16');
    expect([range.at(1n), range.at(256n), range.size]).toEqual(['10.0.0.1', '10.0.1.0', 65534n]);
  });

  it('contains the addresses that can be allocated', () => {
    const range = new IpRange('10.0.0.0/30');
    const inside = ['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4', 'fd00::1', 'x'];
    expect(inside.filter((address) => range.contains(address))).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  it('supports IPv6', () => {
    const range = new IpRange('fd00:1::/108');
    expect([range.family, range.at(1n), range.contains('fd00:1::ffff')]).toEqual(['IPv6', 'fd00:1::1', true]);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '300.0.0.0/8', 'x/8', ''])('rejects %j', (text) => {
    expect(() => new IpRange(text)).toThrow(RangeError);
  });
});
