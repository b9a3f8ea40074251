import protobuf from 'protobufjs/light.js';
import { expect, it } from 'vitest';
import { codec } from './codec.ts';
import type { MessageName } from './messages.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const decoded = (name: MessageName, text: string): unknown => codec(name).decode(hex(text));

it.each<[string, MessageName, string, object]>([
  [
    'a lease above 2^53 is exact',
    'LeaseRevokeRequest',
    '08 ffffffffffffffff7f',
    { id: '9223372036854775807' },
  ],
  ['so it is in a nested message', 'RequestOp', '12 0a 18 ffffffffffffffff7f', { requestPut: expect.objectContaining({ lease: '9223372036854775807' }) }], // prettier-ignore
  ['a negative number', 'CompactionRequest', '08 ffffffffffffffffff01', { revision: -1 }],
  ['a number of seven bytes', 'CompactionRequest', '08 ffffffffffff7f', { revision: 2 ** 49 - 1 }],
  ['a number of eight bytes', 'CompactionRequest', '08 ffffffffffffff0f', { revision: 2 ** 53 - 1 }],
  ['an unsigned number of 64 bits', 'AlarmRequest', '10 ffffffffffffffffff01', { memberId: 2 ** 64 }],
  ['a list of numbers, packed and not', 'WatchCreateRequest', '2a 02 0001 28 01', { filters: [0, 1, 1] }],
  ['unknown fields are skipped', 'CompactionRequest', 'fa01 01 61 08 05', { revision: 5 }],
  ['a field of another wire type is skipped', 'CompactionRequest', '0a 01 61', { revision: 0 }],
  ['the last value counts', 'CompactionRequest', '08 05 08 06', { revision: 6 }],
])('decodes %s', (_, name, bytes, expected) => {
  expect(decoded(name, bytes)).toMatchObject(expected);
});

it.each<[string, MessageName, string]>([
  ['ends within a number', 'CompactionRequest', '08 ff'],
  ['ends within a tag', 'CompactionRequest', 'ff'],
  ['ends within a text', 'PutRequest', '0a 05 61'],
  ['has a nested message that is longer', 'RequestOp', '12 05 0a'],
  ['has a field that is longer than its nested message', 'RequestOp', '12 02 0a 01 61'],
  ['has a list that is longer', 'WatchCreateRequest', '2a 05 00'],
  ['has a list that ends within a number', 'WatchCreateRequest', '2a 01 80 01'],
  ['has a field with the number 0', 'CompactionRequest', '00 00'],
])('refuses a message that %s', (_, name, bytes) => {
  expect(() => decoded(name, bytes)).toThrow();
});

it('absent fields are zero, empty lists, and undefined members of a oneof', () => {
  expect(decoded('RequestOp', '0a 00')).toEqual({ requestRange: expect.objectContaining({ limit: 0 }) });
  expect(decoded('Compare', '')).toEqual({ result: 0, target: 0, key: Buffer.of(), rangeEnd: Buffer.of() });
  expect(decoded('WatchResponse', '')).toMatchObject({ header: undefined, events: [], cancelReason: '' });
});

it('messages do not share lists', () => {
  const first = codec('RangeResponse').decode(hex(''));
  first.kvs.push(codec('KeyValue').decode(hex('')));
  expect(codec('RangeResponse').decode(hex('')).kvs).toEqual([]);
});

it('writes what protobufjs writes', () => {
  const type = protobuf.Root.fromJSON({
    nested: {
      PutRequest: { fields: { key: { type: 'bytes', id: 1 }, value: { type: 'bytes', id: 2 }, lease: { type: 'int64', id: 3 } } },
      RequestOp: { fields: { requestPut: { type: 'PutRequest', id: 2 } } },
      TxnRequest: { fields: { success: { type: 'RequestOp', id: 2, rule: 'repeated' } } },
    },
  }).lookupType('TxnRequest'); // prettier-ignore
  const put = (value: string, lease: number) => ({ requestPut: { key: Buffer.from('/a'), value: Buffer.from(value), lease } }); // prettier-ignore
  const message = { success: [put('1', 2 ** 40), put('x'.repeat(300), 0)] };
  expect(codec('TxnRequest').encode(message)).toEqual(Buffer.from(type.encode(message).finish()));
});
