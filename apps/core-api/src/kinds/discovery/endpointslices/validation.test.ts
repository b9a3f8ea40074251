import { FieldPath } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateEndpointSlice, validateSliceUpdate } from './validation.ts';

const many = <T>(count: number, item: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
const endpoint = { addresses: ['10.0.0.1'] };

it.each([
  ['1,000 endpoints', { endpoints: many(1000, () => endpoint) }, []],
  ['1,001 endpoints', { endpoints: many(1001, () => endpoint) }, ['endpoints']],
  [
    '101 addresses of one',
    { endpoints: [{ addresses: many(101, () => '10.0.0.1') }] },
    ['endpoints[0].addresses'],
  ],
  ['20,001 ports', { ports: many(20_001, (i) => ({ name: `p${i}`, protocol: 'TCP' })) }, ['ports']],
  ['two ports of one name', { ports: many(2, () => ({ name: 'a', protocol: 'TCP' })) }, ['ports[1].name']],
  [
    'nine zones of one',
    { endpoints: [{ ...endpoint, hints: { forZones: many(9, (i) => ({ name: `z${i}` })) } }] },
    ['endpoints[0].hints.forZones'],
  ],
])('an EndpointSlice with %s', (_what, more, expected) => {
  const errors = validateEndpointSlice({ addressType: 'IPv4', ...more }, FieldPath.root);
  expect(errors.map(({ field }) => field)).toEqual(expected);
});

it('endpoints that do not change are not checked again', () => {
  const old = { addressType: 'IPv4', endpoints: [{ addresses: [] }] } as never;
  expect(validateSliceUpdate(old, old)).toEqual([]);
  const changed = { addressType: 'IPv4', endpoints: [{ addresses: ['x'] }] } as never;
  expect(validateSliceUpdate(changed, old).map(({ field }) => field)).toEqual(['endpoints[0].addresses[0]']);
});
