import { readFileSync } from 'node:fs';
import { type KubeObject, parseJson, type JsonObject, isObject, deepCopy } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { decodeProtobuf, decodeWatchEvent, encodeProtobuf, encodeWatchFrame } from './protobuf.ts';

const recorded = readFileSync(new URL('../../testdata/protobuf/objects.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => parseJson(line) as unknown as { protobuf: string; json: KubeObject });

/** Go writes zero times as null and empty required lists; the wire does not carry them. */
function withoutEmpty(object: unknown): unknown {
  if (Array.isArray(object)) return object.map((item) => (item === null ? null : withoutEmpty(item)));
  if (!isObject(object)) return object;
  const kept = Object.entries(object).filter(([, v]) => v !== null && !(Array.isArray(v) && v.length === 0));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutEmpty(value)])) as JsonObject;
}

describe('Kubernetes protobuf', () => {
  it.each(recorded.map((r) => [r.json.kind, r] as const))(
    'reads what client-go writes: %s',
    (_kind, { protobuf, json }) => {
      expect(withoutEmpty(decodeProtobuf(Buffer.from(protobuf, 'base64')))).toEqual(
        withoutEmpty({ ...json, metadata: json.metadata ?? {} }),
      );
    },
  );

  it.each(recorded.map((r) => [r.json.kind, r] as const))('reads its own writing: %s', (_kind, { json }) => {
    const bytes = encodeProtobuf(deepCopy(json));
    expect(withoutEmpty(decodeProtobuf(bytes!))).toEqual(
      withoutEmpty({ ...json, metadata: json.metadata ?? {} }),
    );
  });

  it('frames an event of a watch by its length', () => {
    const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } };
    const frame = encodeWatchFrame('ADDED', object)!;
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    expect(decodeWatchEvent(frame.subarray(4))).toEqual({ type: 'ADDED', object });
  });

  it('has no form for kinds without protobuf', () => {
    expect(encodeProtobuf({ kind: 'Foo', apiVersion: 'example.com/v1' })).toBeUndefined();
    expect(encodeProtobuf({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })).toBeUndefined();
  });

  it.each([
    [
      'bytes without the envelope',
      Buffer.from('{}'),
      'provided data does not appear to be a protobuf message',
    ],
    ['a cut-off message', Buffer.from('6b3873000a0a', 'hex'), 'unable to decode'],
    [
      'a kind that is not known',
      Buffer.from('6b3873000a090a02763112034e6f70', 'hex'),
      'no kind "Nop" is registered for version "v1"',
    ],
  ])('refuses %s', (_what, body, text) => {
    expect(() => decodeProtobuf(body)).toThrow(text);
  });
});
