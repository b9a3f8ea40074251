import { Buffer } from 'node:buffer';
import { expect, it } from 'vitest';
import { encodeOpenApiV3 } from './v3-protobuf.ts';

/** A field with a value of fewer than 128 bytes. */
const field = (number: number, ...content: (Buffer | string)[]): Buffer => {
  const inner = Buffer.concat(content.map((part) => Buffer.from(part)));
  const tag = number * 8 + 2;
  return Buffer.from([...(tag < 128 ? [tag] : [(tag & 0x7f) | 0x80, tag >> 7]), inner.length, ...inner]);
};

it('a document of version 3 is encoded as protobuf with the field numbers of gnostic', () => {
  const bytes = encodeOpenApiV3({
    openapi: '3.0.0',
    info: { title: 'K', version: 'v' },
    paths: {
      '/a': {
        get: { operationId: 'o', responses: { 200: { description: 'OK' } }, 'x-kubernetes-action': 'get' },
        parameters: [{ name: 'p', in: 'query', schema: { type: 'string' } }],
      },
    },
    components: {
      schemas: {
        A: {
          type: 'object',
          properties: { b: { $ref: '#/B' }, c: { allOf: [{ $ref: '#/B' }], default: {} } },
        },
      },
    },
  });
  const reference = field(2, field(1, '#/B'));
  const properties = field(
    31,
    field(1, field(1, 'b'), field(2, reference)),
    field(1, field(1, 'c'), field(2, field(1, field(26, reference), field(33)))),
  );
  const get = field(
    4,
    field(5, 'o'),
    field(8, field(2, field(1, '200'), field(2, field(1, field(1, 'OK'))))),
    field(13, field(1, 'x-kubernetes-action'), field(2, field(2, '"get"\n'))),
  );
  const parameter = field(1, field(1, 'p'), field(2, 'query'), field(10, field(1, field(25, 'string'))));
  const expected = Buffer.concat([
    field(1, '3.0.0'),
    field(2, field(1, 'K'), field(6, 'v')),
    field(4, field(1, field(1, '/a'), field(2, get, field(13, parameter)))),
    field(5, field(1, field(1, field(1, 'A'), field(2, field(1, field(25, 'object'), properties))))),
  ]);
  expect(bytes.toString('hex')).toBe(expected.toString('hex'));
});
