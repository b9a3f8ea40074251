import { fieldErrorText, FieldPath } from '@annex/machinery';
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

const hints = (list: object) => ({ endpoints: [{ ...endpoint, hints: list }] });
const label = expect.stringContaining(': a valid label must be') as string;

// The texts are those of kube-apiserver 1.36.3.
it.each([
  [
    'too many ports: they are not checked',
    { ports: many(20_001, () => ({ name: 'a' })) },
    ['ports: Too many: 20001: must have at most 20000 items'],
  ],
  [
    'ports that repeat a name: in the order of ports',
    { ports: [{ name: 'a', protocol: 'x' }, { name: 'a' }, { protocol: 'TCP' }, null] },
    [
      'ports[0].protocol: Unsupported value: "x": supported values: "SCTP", "TCP", "UDP"',
      'ports[1].name: Duplicate value: "a"',
      'ports[1].protocol: Required value',
      'ports[3].name: Duplicate value: ""',
      'ports[3].protocol: Required value',
    ],
  ],
  [
    'too many zones: nodes are not checked',
    hints({ forZones: many(9, () => ({ name: 'a' })), forNodes: [{ name: 'é' }] }),
    ['endpoints[0].hints.forZones: Too many: 9: must have at most 8 items'],
  ],
  [
    'too many nodes: zones are checked',
    hints({
      forZones: [{ name: 'a' }, { name: 'a' }, { name: 'é' }],
      forNodes: many(9, () => ({ name: 'é' })),
    }),
    [
      'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
      label,
      'endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items',
    ],
  ],
  [
    'too many addresses: they are checked',
    { endpoints: [{ addresses: many(101, (i) => (i === 5 ? 'x' : '10.0.0.1')) }] },
    [
      'endpoints[0].addresses: Too many: 101: must have at most 100 items',
      'endpoints[0].addresses[5]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    'an endpoint that is null',
    { endpoints: [null] },
    ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  ],
])('%s', (_what, more, expected) => {
  const errors = validateEndpointSlice({ addressType: 'IPv4', ...more }, FieldPath.root);
  expect(errors.map(fieldErrorText)).toEqual(expected);
});

it('endpoints that do not change are not checked again', () => {
  const old = { addressType: 'IPv4', endpoints: [{ addresses: [] }] } as never;
  expect(validateSliceUpdate(old, old)).toEqual([]);
  const changed = { addressType: 'IPv4', endpoints: [{ addresses: ['x'] }] } as never;
  expect(validateSliceUpdate(changed, old).map(({ field }) => field)).toEqual(['endpoints[0].addresses[0]']);
});
