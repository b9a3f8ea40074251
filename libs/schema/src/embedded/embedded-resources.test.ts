import { type JsonObject, deepCopy, fieldErrorText } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { compileStructural } from '../structural/structural.ts';

const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
const preserve = { 'x-kubernetes-preserve-unknown-fields': true };
const compiled = compileStructural({
  type: 'object',
  properties: {
    any: { ...embedded, ...preserve },
    typed: { ...embedded, properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } } },
    list: { type: 'array', items: { ...embedded, ...preserve } },
    map: { type: 'object', additionalProperties: { ...embedded, ...preserve } },
    nul: { ...embedded, ...preserve, nullable: true },
  },
});
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', labels: { a: 'b' }, bogus: 1 },
  spec: { containers: [1] },
  extra: true,
};
const label = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const kind = `may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`;

describe('an embedded resource is pruned', () => {
  it.each<[name: string, object: JsonObject, pruned: JsonObject, unknown: string[]]>([
    [
      'IOS-007 in its metadata only where it preserves unknown fields',
      { any: pod },
      { any: { ...pod, metadata: { name: 'x', labels: { a: 'b' } } } },
      ['any.metadata.bogus'],
    ],
    [
      'IOS-008 everywhere else too where it does not, its metadata named last',
      { typed: pod },
      { typed: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: { a: 'b' } }, spec: {} } },
      ['typed.extra', 'typed.spec.containers', 'typed.metadata.bogus'],
    ],
    [
      'to the form of ObjectMeta',
      {
        any: {
          metadata: {
            labels: {},
            annotations: { a: null },
            creationTimestamp: null,
            ownerReferences: [{ kind: 'A' }],
          },
        },
      },
      {
        any: {
          metadata: {
            annotations: { a: '' },
            ownerReferences: [{ apiVersion: '', kind: 'A', name: '', uid: '' }],
          },
        },
      },
      [],
    ],
    ['and null metadata is empty', { any: { metadata: null } }, { any: { metadata: {} } }, []],
    ['null stays if it is nullable', { nul: null, any: null }, { nul: null }, []],
  ])('%s', (_, object, pruned, unknown) => {
    const copy = deepCopy(object);
    expect(compiled.decodeError(copy)).toBeUndefined();
    expect(compiled.prune(copy)).toEqual(unknown);
    expect(copy).toEqual(pruned);
  });
});

describe('IOS-009 KEP-012 an embedded resource is validated', () => {
  it.each<[object: JsonObject, errors: string[]]>([
    [{ any: pod }, []],
    [{ any: { apiVersion: 'v1' } }, ['any.kind: Required value']],
    [{ any: {} }, ['any.apiVersion: Required value', 'any.kind: Required value']],
    [
      { any: { apiVersion: 'a/b/c', kind: 'A' } },
      ['any.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
    ],
    [
      { any: { apiVersion: '', kind: 'b b' } },
      ['any.apiVersion: Invalid value: "": must not be empty', `any.kind: Invalid value: "b b": ${kind}`],
    ],
    [
      { any: { apiVersion: 'v1', kind: 'A', metadata: { name: '..', labels: { 'a b': 'c' } } } },
      [
        `any.metadata.name: Invalid value: "..": may not be '..'`,
        `any.metadata.labels: Invalid value: "a b": ${label}`,
      ],
    ],
    [{ list: [pod, { apiVersion: 'v1' }] }, ['list[1].kind: Required value']],
    [{ map: { k: { kind: 'A' } } }, ['map[k].apiVersion: Required value']],
    [{ typed: { apiVersion: 'v1', kind: 'A', metadata: { finalizers: ['bad'] } } }, []],
    [{ any: 'x' }, ['any: Invalid value: "string": any in body must be of type object: "string"']],
  ])('%#', (object, errors) => {
    const copy = deepCopy(object);
    compiled.prune(copy);
    expect(compiled.validate(copy).map(fieldErrorText)).toEqual(errors);
  });
});

describe('an embedded resource that cannot be decoded is refused', () => {
  it.each<[object: JsonObject, text: string]>([
    [{ any: { apiVersion: 'v1', kind: 3 } }, 'any.kind: Invalid value: 3: must be a string'],
    [
      { any: { metadata: 'm' } },
      'any.metadata: Invalid value: "m": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    ],
    [
      { list: [{ metadata: { name: 'q', labels: { a: 1 } } }] },
      'list[0].metadata: Invalid value: {"labels":{"a":1},"name":"q"}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ],
  ])('%#', (object, text) => {
    expect(compiled.decodeError(object)).toBe(text);
  });
});

it('DEF-011 defaults of embedded resources are pruned when they are used', () => {
  const withDefault = compileStructural({
    type: 'object',
    properties: {
      e: {
        ...embedded,
        ...preserve,
        default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x', bogus: 1, labels: 5 }, z: 1 },
      },
    },
  });
  const object: JsonObject = {};
  withDefault.applyDefaults(object);
  expect(object).toEqual({ e: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' }, z: 1 } });
});

it('validates merged metadata as if it were pruned', () => {
  const merged: JsonObject = {
    any: { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: null }, bogus: 1 } },
  };
  expect(compiled.validate(merged)).toEqual([]);
});

it('drops undecodable metadata of a stored embedded resource on read', () => {
  const object: JsonObject = {
    any: { apiVersion: null, kind: 'A', metadata: { labels: 5, name: 'x', bogus: 1 } },
    bogus: 1,
  };
  compiled.pruneStored(object);
  expect(object).toEqual({ any: { kind: 'A', metadata: { name: 'x' } } });
});
