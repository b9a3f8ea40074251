import { finish, type JsonObject, type JsonValue } from '@annex/machinery';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
import { expect, it } from 'vitest';
import { decodeMessage, decodeMessageInPasses } from './decode.ts';
import { encodeMessage } from './encode.ts';
import { messageOfKind } from './messages.ts';
import { encodeRaw } from './protobuf.ts';

const range = <T>(length: number, of: (i: number) => T): T[] => Array.from({ length }, (_, i) => of(i));
const metadata = {
  name: 'a',
  managedFields: [
    { manager: 'm', fieldsV1: { 'f:data': Object.fromEntries(range(4000, (i) => [`f:k${i}`, {}])) } },
  ],
};
/** Objects with long messages at several depths, lists, maps and embedded JSON. */
const objects: JsonObject[] = [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data: Object.fromEntries(range(4000, (i) => [`k${i}`, 'v'])),
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: {
      containers: [
        { name: 'c', image: 'i', env: range(3000, (i) => ({ name: `V${i}`, value: `${i}` })) },
        ...range(1500, (i) => ({
          name: `c${i}`,
          resources: { limits: { cpu: '1' } },
          ports: [{ containerPort: i }],
        })),
      ],
    },
  },
];

interface Encoded {
  name: string;
  bytes: Buffer;
}

const encoded = objects.map((object): Encoded => {
  const name = messageOfKind(String(object.apiVersion), String(object.kind))!;
  const writer = protobuf.Writer.create();
  encodeMessage(writer, name, object, encodeRaw);
  return { name, bytes: Buffer.from(writer.finish()) };
});

const embedded = (): JsonValue => ({});

function decodedAtOnce({ name, bytes }: Encoded): JsonValue | undefined {
  const reader = protobuf.Reader.create(bytes);
  return decodeMessage(reader, reader.len, name, embedded);
}

function inPasses({ name, bytes }: Encoded) {
  const reader = protobuf.Reader.create(bytes);
  return decodeMessageInPasses(reader, reader.len, name, embedded);
}

/** Returns the result, or the text of the error. */
function outcomeOf(decode: () => JsonValue | undefined): unknown {
  try {
    return decode();
  } catch (error) {
    return String(error);
  }
}

it.each(encoded)('a long $name is the same in passes', (one) => {
  let passes = 1;
  for (const _ of inPasses(one)) passes++;
  expect(passes).toBeGreaterThan(1);
  expect(finish(inPasses(one))).toEqual(decodedAtOnce(one));
});

it('bytes that are damaged or cut off have the same outcome in passes', () => {
  const damage = fc.record({
    which: fc.constantFrom(...encoded),
    at: fc.nat(),
    byte: fc.nat(255),
    isCut: fc.boolean(),
  });
  fc.assert(
    fc.property(damage, ({ which: { name, bytes }, at, byte, isCut }) => {
      const end = at % bytes.length;
      const changed = Buffer.from(isCut ? bytes.subarray(0, end) : bytes);
      if (!isCut) changed[end] = byte;
      const one = { name, bytes: changed };
      expect(outcomeOf(() => finish(inPasses(one)))).toEqual(outcomeOf(() => decodedAtOnce(one)));
    }),
    { numRuns: samples(60) },
  );
});
