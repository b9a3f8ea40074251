import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { type FuzzTarget, orErrorLater } from '@annex/testkit';
import { ByteReader } from './byte-reader.ts';
import { readCredentials, readDestination, readMethods, SocksError } from './messages.ts';

/** Returns what a client with these bytes is understood to request, or the reason of the refusal. */
async function understood(pieces: readonly Uint8Array[]): Promise<string> {
  const stream = new PassThrough();
  const reader = new ByteReader(stream as unknown as Socket, new AbortController().signal);
  for (const piece of pieces) stream.write(piece);
  stream.end();
  const read = async () => {
    const methods = await readMethods(reader);
    const credentials = methods.has(2) ? await readCredentials(reader) : undefined;
    return { methods: [...methods], credentials, destination: await readDestination(reader) };
  };
  const outcome = await orErrorLater(read, [SocksError, Error]);
  return outcome instanceof Error
    ? outcome.message
    : JSON.stringify([outcome, reader.release().toString('hex')]);
}

const inBytes = (input: Uint8Array): Uint8Array[] => [...input].map((byte) => Uint8Array.of(byte));

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'socks-messages',
    seeds: [
      Buffer.from('050100' + '05010001' + '0a000001' + '192b', 'hex'),
      Buffer.from('050100' + '05010003' + '06612e74657374' + '192b' + '474554', 'hex'),
      Buffer.from(
        '05020002' + '0101750170' + '05010004' + '20010db8000000000000000000000001' + '01bb',
        'hex',
      ),
      Buffer.from('050100' + '05020009', 'hex'),
    ],
    dictionary: ['\x05\x01\0', '\x05\x01\0\x03', '\x05\x01\0\x04', '::1', 'a.test.'],
    maxBytes: 300,
    async run(input) {
      const whole = await understood(input.length === 0 ? [] : [input]);
      const pieces = await understood(inBytes(input));
      // The bytes after the request may not have arrived yet.
      if (whole.split(',"')[0] !== pieces.split(',"')[0])
        throw new Error(`whole: ${whole}, bytes: ${pieces}`);
    },
  },
];
