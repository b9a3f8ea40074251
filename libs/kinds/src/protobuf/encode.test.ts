import { readFileSync } from 'node:fs';
import { finish, type JsonObject, parseJson } from '@annex/machinery';
import protobuf from 'protobufjs/minimal.js';
import { expect, it } from 'vitest';
import { encodeMessage } from './encode.ts';
import { encodeMessageInPasses } from './encode-in-passes.ts';
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

const atOnce = (name: string, object: JsonObject): Buffer => {
  const writer = protobuf.Writer.create();
  encodeMessage(writer, name, object, encodeRaw);
  return Buffer.from(writer.finish());
};

const entries = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`k${i}`, `v${i}`]));
const large: Record<string, [kind: string, object: JsonObject]> = {
  'a map whose keys are not sorted': ['v1 ConfigMap', { data: entries }],
  'a map with a key that objects inherit': ['v1 ConfigMap', { data: { ...entries, constructor: 'a' } }],
  'a map of bytes': [
    'v1 Secret',
    { data: Object.fromEntries(Object.keys(entries).map((key) => [key, key === 'k7' ? null : 'YQ=='])) },
  ],
  'a map of messages': ['v1 ResourceQuota', { spec: { hard: entries } }],
  'a list of texts': [
    'rbac.authorization.k8s.io/v1 ClusterRole',
    { rules: [{ verbs: Object.keys(entries), resources: ['a'] }] },
  ],
  'a list of messages': [
    'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
    { subjects: Object.keys(entries).map((name) => ({ kind: 'User', name })) },
  ],
  'a map that is the value of two fields': [
    'v1 ConfigMap',
    { metadata: { labels: entries, annotations: entries }, data: entries },
  ],
};
it.each(Object.entries(large))('%s has the same bytes in passes as at once', (_, [type, object]) => {
  const [version = '', kind = ''] = type.split(' ');
  const name = messageOfKind(version, kind)!;
  let passes = 0;
  for (const _pass of encodeMessageInPasses(name, object, encodeRaw)) passes++;
  expect(passes).toBeGreaterThan(5);
  const bytes = finish(encodeMessageInPasses(name, object, encodeRaw));
  expect(Buffer.from(bytes).equals(atOnce(name, object))).toBe(true);
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
  expect(pauses).toBe(1007);
});
