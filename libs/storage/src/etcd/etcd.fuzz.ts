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

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'etcd-messages',
    seeds: [
      ...names.map((name) => tagged(name, {})),
      tagged('RangeRequest', { key, rangeEnd: Buffer.from('/registry/b'), limit: 5, revision: 1 }),
      tagged('TxnRequest', {
        compare: [{ key, target: 2, result: 0, modRevision: 1 }],
        success: [{ requestPut: { key, value: Buffer.from('x'), lease: 1 } }],
        failure: [{ requestRange: { key } }],
      }),
      tagged('WatchRequest', { createRequest: { key, startRevision: 3, progressNotify: true } }),
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
