import { readFileSync } from 'node:fs';
import { deepCopy, isObject, type JsonObject, type KubeObject, parseJson } from '@annex/machinery';
import { samples } from '@annex/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeProtobufList } from './list.ts';
import { maxProtobufDepth } from './decode.ts';
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

const configMap = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'v' } };
/** The envelope of a ConfigMap, up to its bytes. */
const configMapType = '6b387300 0a0f 0a027631 1209436f6e6669674d6170';
const unlimited = () => undefined;

describe('Kubernetes protobuf', () => {
  it.each(recorded.map((r) => [r.json.kind, r] as const))(
    'decodes the bytes of client-go: %s',
    (_kind, { protobuf, json }) => {
      const decoded = decodeProtobuf(Buffer.from(protobuf, 'base64'));
      expect(withoutEmpty({ ...decoded, metadata: json.metadata && decoded.metadata })).toEqual(
        withoutEmpty(json),
      );
    },
  );

  it.each(recorded.map((r) => [r.json.kind, r] as const))(
    'encodes to the bytes of client-go: %s',
    (_kind, { protobuf, json }) => {
      expect(encodeProtobuf(deepCopy(json))!.toString('base64')).toBe(protobuf);
    },
  );

  it('distinguishes nil and empty bytes, as Go does', () => {
    const written = (data: JsonObject) =>
      encodeProtobuf({ kind: 'Secret', apiVersion: 'v1', data })!.toString('hex');
    expect(written({ k: null })).toContain('12030a016b');
    expect(written({ k: '' })).toContain('12050a016b1200');
  });

  it('frames a watch event with its length', () => {
    const frame = encodeWatchFrame('ADDED', encodeProtobuf(configMap)!);
    expect(frame.readUInt32BE()).toBe(frame.length - 4);
    const { type, object } = decodeWatchEvent(frame.subarray(4));
    expect({ type, object: withoutEmpty(object) }).toEqual({ type: 'ADDED', object: configMap });
  });

  it('has no form for kinds without protobuf', () => {
    expect(encodeProtobuf({ kind: 'Foo', apiVersion: 'example.com/v1' })).toBeUndefined();
    expect(encodeProtobuf({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })).toBeUndefined();
  });

  it.each([
    ['nothing', '', 'empty data'],
    [
      'bytes without the envelope',
      '7b7d',
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['an empty envelope', '6b387300', 'empty body'],
    ['a truncated envelope', '6b3873000a0a', 'unexpected EOF'],
    [
      'an envelope with a field without a number',
      '6b3873000001',
      'proto: Unknown: illegal tag 0 (wire type 0)',
    ],
    ['an unknown kind', '6b3873000a090a02763112034e6f70', 'no kind "Nop" is registered for version "v1"'],
    ['a length beyond the end', `${configMapType}1204 0a10 0a02`, 'unexpected EOF'],
    [
      'a field that crosses the end of its message',
      `${configMapType}1207 0a02 0a05 616263`,
      'unexpected EOF',
    ],
    ['a number instead of a message', `${configMapType}1202 0801`, 'wrong wireType = 0 for field ObjectMeta'],
    ['a number instead of a string', `${configMapType}1204 0a02 0801`, 'wrong wireType = 0 for field Name'],
    [
      'a field without a number',
      `${configMapType}1202 0001`,
      'proto: ConfigMap: illegal tag 0 (wire type 0)',
    ],
    ['a group', `${configMapType}1203 9b07 9c`, 'proto: illegal wireType 3'],
    [
      'an endless number',
      `${configMapType}120c 0affffffffffffffffffffff`,
      'negative length found during unmarshaling',
    ],
  ])('refuses %s', (_what, hex, text) => {
    expect(() => decodeProtobuf(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toThrow(text);
  });

  it('decodes a damaged message or refuses it as a bad request', () => {
    const bytes = recorded.map(({ protobuf }) => Buffer.from(protobuf, 'base64'));
    const damage = fc.record({
      of: fc.constantFrom(...bytes),
      at: fc.nat(),
      byte: fc.nat(255),
      cut: fc.boolean(),
    });
    fc.assert(
      fc.property(damage, ({ of, at, byte, cut }) => {
        const damaged = Buffer.from(cut ? of.subarray(0, at % of.length) : of);
        if (damaged.length > 0) damaged[at % damaged.length] = byte;
        try {
          decodeProtobuf(damaged);
        } catch (error) {
          expect(error).toMatchObject({ code: 400 });
        }
      }),
      { numRuns: samples(2000) },
    );
  });

  it('keeps all digits of numbers', () => {
    const list = {
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: { remainingItemCount: 9007199254740993n },
      items: [],
    };
    expect(decodeProtobuf(encodeProtobuf(list)!).metadata).toMatchObject({
      remainingItemCount: 9007199254740993n,
    });
  });

  it.each([
    ['v1', 'ConfigMapList'],
    ['meta.k8s.io/v1', 'PartialObjectMetadataList'],
    ['meta.k8s.io/v1beta1', 'PartialObjectMetadataList'],
  ])('encodes a list in pieces to the same bytes: %s %s', async (apiVersion, kind) => {
    const members = { kind, apiVersion, metadata: { resourceVersion: '7' } };
    const items = [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }];
    const pieces = await encodeProtobufList(members, items, unlimited);
    expect(Buffer.concat(pieces!)).toEqual(encodeProtobuf({ ...members, items }));
  });
});

it('a message nested deeper than maxProtobufDepth is not decoded', () => {
  const schemas = (depth: number) => {
    let schema: JsonObject = { type: 'string' };
    for (let i = 1; i < depth; i++) schema = { not: schema };
    return encodeProtobuf({
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1',
      spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] },
    })!;
  };
  expect(decodeProtobuf(schemas(maxProtobufDepth - 10)).kind).toBe('CustomResourceDefinition');
  expect(() => decodeProtobuf(schemas(maxProtobufDepth))).toThrow('the message is nested too deeply');
});
