import { readFileSync } from 'node:fs';
import { finish, type JsonObject, parseJson } from '@annex/machinery';
import protobuf from 'protobufjs/minimal.js';
import { expect, it } from 'vitest';
import { encodeMessage, encodeMessageInPasses } from './encode.ts';
import { messageOfKind } from './messages.ts';
import { encodeProtobufInPasses, encodeRaw } from './protobuf.ts';

const recorded = readFileSync(new URL('../../testdata/protobuf/objects.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => (parseJson(line) as { json: JsonObject }).json);

it('objects have the same bytes in passes as at once', () => {
  for (const object of recorded) {
    const name = messageOfKind(String(object.apiVersion), String(object.kind));
    if (name === undefined) throw new Error(`no message for ${String(object.kind)}`);
    const writer = protobuf.Writer.create();
    encodeMessage(writer, name, object, encodeRaw);
    const passes = finish(encodeMessageInPasses(name, object, encodeRaw));
    expect(Buffer.from(passes).toString('hex'), String(object.kind)).toBe(
      Buffer.from(writer.finish()).toString('hex'),
    );
  }
});

it('a large embedded object has the same bytes in passes as at once', () => {
  const owned = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`f:k${i}`, {}]));
  const managedFields = [{ manager: 'm', fieldsV1: { 'f:data': owned } }];
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields } };
  const name = messageOfKind('v1', 'ConfigMap')!;
  const writer = protobuf.Writer.create();
  encodeMessage(writer, name, object, encodeRaw);
  let passes = 1;
  for (const _ of encodeMessageInPasses(name, object, encodeRaw)) passes++;
  expect(passes).toBeGreaterThan(4);
  expect(Buffer.from(finish(encodeMessageInPasses(name, object, encodeRaw)))).toEqual(
    Buffer.from(writer.finish()),
  );
});

it('a large object is encoded in passes', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1000 }, (_, i) => [`p${i}`, { type: 'string' }]),
  );
  const schema = { openAPIV3Schema: { type: 'object', properties } };
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    spec: { versions: [{ name: 'v1', schema }] },
  };
  let pauses = 0;
  for (const _ of encodeProtobufInPasses(object)) pauses++;
  expect(pauses).toBe(1001);
});
