import { expect, it } from 'vitest';
import { AddressPool } from './address-pool.ts';

it('gives each owner one address, and reuses addresses as late as possible', () => {
  const pool = new AddressPool('198.18.0.0/29');
  expect(['a', 'b', 'a'].map((owner) => pool.take(owner))).toEqual([
    '198.18.0.1',
    '198.18.0.2',
    '198.18.0.1',
  ]);
  pool.release('a');
  expect(['c', 'd', 'e', 'f', 'g', 'h'].map((owner) => pool.take(owner))).toEqual([
    '198.18.0.3',
    '198.18.0.4',
    '198.18.0.5',
    '198.18.0.6',
    '198.18.0.1',
    undefined,
  ]);
});

it('keeps addresses that objects have already', () => {
  const pool = new AddressPool('198.18.0.0/24');
  pool.reserve('198.18.0.1', 'old');
  pool.reserve('198.18.0.1', 'second');
  pool.reserve('10.0.0.1', 'other network');
  pool.reserve('fd00::1', 'IPv6');
  expect(['new', 'old', 'second'].map((owner) => pool.take(owner))).toEqual([
    '198.18.0.2',
    '198.18.0.1',
    '198.18.0.3',
  ]);
});

it.each(['', '10.0.0.0', '10.0.0.0/31', '10.0.0.0/7', '300.0.0.0/16', 'fd00::/64'])('refuses %j', (cidr) => {
  expect(() => new AddressPool(cidr)).toThrow(RangeError);
});
