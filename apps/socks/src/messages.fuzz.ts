import { type FuzzTarget, orErrorLater } from '@annex/testkit';
import { type MessageBytes, readCredentials, readDestination, readMethods, SocksError } from './messages.ts';

/** The end of the input, in the middle of a message. */
class EndOfInput extends Error {}

function bytesOf(input: Uint8Array): MessageBytes {
  let rest = Buffer.from(input);
  return {
    take(length) {
      if (rest.length < length) return Promise.reject(new EndOfInput());
      const taken = rest.subarray(0, length);
      rest = rest.subarray(length);
      return Promise.resolve(taken);
    },
  };
}

const name = 'kubernetes.example';
const destination = [5, 1, 0, 3, name.length, ...Buffer.from(name), 0x19, 0x2b];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'socks-messages',
    seeds: [
      Uint8Array.from([5, 1, 0, ...destination]),
      Uint8Array.from([5, 2, 0, 2, 1, 1, 0x61, 1, 0x62, ...destination]),
      Uint8Array.from([5, 1, 0, 5, 1, 0, 1, 127, 0, 0, 1, 1, 187]),
      Uint8Array.from([5, 1, 0, 5, 1, 0, 4, ...Array.from({ length: 15 }, () => 0), 1, 1, 187]),
    ],
    maxBytes: 600,
    async run(input) {
      const reader = bytesOf(input);
      const read = async () => {
        const methods = await readMethods(reader);
        if (methods.has(2)) await readCredentials(reader);
        return await readDestination(reader);
      };
      const found = await orErrorLater(read, [SocksError, EndOfInput]);
      if (found instanceof Error) return;
      if (found.host === '' || found.host.length > 255 || /[\0\s/@]/.test(found.host))
        throw new Error(`the host ${JSON.stringify(found.host)} is not valid`);
    },
  },
];
