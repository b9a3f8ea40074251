import { FieldPath } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { endpointIpErrors } from './endpoint-addresses.ts';
import { validateEndpointSlice } from '../discovery/endpointslices/validation.ts';

const loopback = 'may not be in the loopback range (127.0.0.0/8, ::1/128)';
const linkLocal = 'may not be in the link-local range (169.254.0.0/16, fe80::/10)';
const multicast = 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)';
const malformed = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

const details = (errors: { detail: string }[]) => errors.map(({ detail }) => detail);

describe('the address of an endpoint', () => {
  it.each([
    ['10.0.0.1', []],
    ['2001:db8::1', []],
    ['225.0.0.1', []],
    ['::ffff:10.0.0.1', []],
    ['127.0.0.1', [loopback]],
    ['127.255.255.254', [loopback]],
    ['::1', [loopback]],
    ['0:0:0:0:0:0:0:1', [loopback]],
    ['0::0001', [loopback]],
    ['::ffff:127.0.0.1', [loopback]],
    ['::ffff:7f00:1', [loopback]],
    ['169.254.169.254', [linkLocal]],
    ['::ffff:169.254.169.254', [linkLocal]],
    ['fe80::1', [linkLocal]],
    ['FEBF::1', [linkLocal]],
    ['224.0.0.1', [multicast]],
    ['ff02::1', [multicast]],
    ['ff12::1', [multicast]],
    ['0.0.0.0', ['may not be unspecified (0.0.0.0)']],
    ['0:0::0', ['may not be unspecified (0:0::0)']],
    ['fe80::1%eth0', [malformed]],
    ['127.1', [malformed]],
    ['0x7f.0.0.1', [malformed]],
    ['2130706433', [malformed]],
  ])('%s', (text, errors) => {
    expect(details(endpointIpErrors(text, FieldPath.root))).toEqual(errors);
  });
});

describe('an EndpointSlice', () => {
  it.each([
    ['IPv4', '10.0.0.1', []],
    ['IPv4', '127.0.0.1', [loopback]],
    ['IPv4', '2001:db8::1', ['must be an IPv4 address']],
    ['IPv4', '::1', ['must be an IPv4 address', loopback]],
    ['IPv6', '::1', [loopback]],
    ['IPv6', '10.0.0.1', ['must be an IPv6 address']],
    ['FQDN', 'example.com', []],
  ])('of %s with %s', (addressType, address, errors) => {
    const slice = { addressType, endpoints: [{ addresses: [address] }] };
    expect(details(validateEndpointSlice(slice, FieldPath.root))).toEqual(errors);
  });

  it('of a type that every object inherits is not supported', () => {
    const slice = { addressType: 'hasOwnProperty', endpoints: [{ addresses: ['10.0.0.1'] }] };
    expect(validateEndpointSlice(slice, FieldPath.root).map(({ type }) => type)).toEqual([
      'FieldValueNotSupported',
    ]);
  });
});
