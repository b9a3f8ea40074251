import { type FuzzTarget, orError } from '@annex/testkit';
import { codec } from './codec.ts';
import { CallFailure } from './failures.ts';
import { keyRange } from './key-range.ts';
import { type MessageName, messageTable } from './messages.ts';

const names = Object.keys(messageTable) as MessageName[];
const codecs = names.map((name) => codec(name));
const tagged = (name: MessageName, message: object): Uint8Array =>
  Buffer.concat([Buffer.of(names.indexOf(name)), codec(name).encode(message as never)]);
const key = Buffer.from('/registry/a');

/** Valid requests with all of their fields. */
const requests: readonly [MessageName, object][] = [
  ['RangeRequest', { key, rangeEnd: key, limit: 1, revision: 2, sortOrder: 1, sortTarget: 1, serializable: true, keysOnly: true, countOnly: true, minModRevision: 1, maxModRevision: 9, minCreateRevision: 1, maxCreateRevision: 9 }], // prettier-ignore
  ['PutRequest', { key, value: Buffer.from('{}'), lease: '9223372036854775807', prevKv: true, ignoreValue: true, ignoreLease: true }], // prettier-ignore
  ['DeleteRangeRequest', { key, rangeEnd: Buffer.from('\0'), prevKv: true }],
  ['TxnRequest', { compare: [{ key, target: 0, result: 3, version: 1 }, { key, target: 1, createRevision: 1 }], success: [{ requestDeleteRange: { key } }, { requestRange: { key } }], failure: [{ requestTxn: key }] }], // prettier-ignore
  ['CompactionRequest', { revision: 5, physical: true }],
  ['WatchRequest', { createRequest: { key, rangeEnd: key, startRevision: 1, filters: [0, 1], prevKv: true, watchId: 7, fragment: true } }], // prettier-ignore
  ['WatchRequest', { cancelRequest: { watchId: 7 } }],
  ['WatchRequest', { progressRequest: {} }],
  ['LeaseGrantRequest', { ttl: 60, id: '1' }],
  ['LeaseTimeToLiveRequest', { id: '1', keys: true }],
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'etcd-messages',
    records: { format: 'protobuf', skip: 1 },
    seeds: [
      ...names.map((name) => tagged(name, {})),
      tagged('RangeRequest', {
        key,
        rangeEnd: Buffer.from('/registry/b'),
        limit: 5,
        revision: 1,
      }),
      tagged('TxnRequest', {
        compare: [{ key, target: 2, result: 0, modRevision: 1 }],
        success: [{ requestPut: { key, value: Buffer.from('x'), lease: 1 } }],
        failure: [{ requestRange: { key } }],
      }),
      tagged('WatchRequest', {
        createRequest: { key, startRevision: 3, progressNotify: true },
      }),
      ...requests.map(([name, message]) => tagged(name, message)),
    ],
    dictionary: ['\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01', '\x80\x80\x80\x80\x10', '/registry/', '\0'],
    maxBytes: 512,
    run(input) {
      const one = codecs[(input[0] ?? 0) % codecs.length]!;
      // gRPC maps every error of a decoder.
      const message = orError(() => one.decode(input.subarray(1)), [Error, RangeError, TypeError]);
      if (!(message instanceof Error)) one.encode(message as never);
    },
  },
  {
    name: 'etcd-key-range',
    seeds: ['\x0b/registry/a/registry/b', '\x01a\0', '\0', '\x02aaab'],
    maxBytes: 128,
    run(input) {
      const split = 1 + (input[0] ?? 0);
      const range = orError(() => keyRange(input.subarray(1, split), input.subarray(split)), [CallFailure]);
      if (!(range instanceof Error)) range.includes?.('/registry/a/b');
    },
  },
];
