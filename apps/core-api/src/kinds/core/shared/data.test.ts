import { type FieldError, fieldErrorText, finish, type JsonObject, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import type { Validation } from '../../builtin-kind.ts';
import { configMapValidation } from '../configmaps/validation.ts';
import { secretValidation } from '../secrets/validation.ts';
import { maxDataBytes } from './data.ts';

const text = (bytes: number) => 'x'.repeat(bytes);
const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const configMap = (content: object): KubeObject => ({ metadata: { name: 'a' }, ...content });
const errorsOf = ({ content }: Validation, object: KubeObject, old?: KubeObject): FieldError[] =>
  content === undefined ? [] : finish(content(object, old));
const configMapErrors = (content: object) => errorsOf(configMapValidation, configMap(content));
const secretErrors = (content: object) =>
  errorsOf(secretValidation, configMap({ type: 'Opaque', ...content }));

it.each<[string, (bytes: number) => ReturnType<typeof secretErrors>, string]>([
  [
    'texts of a ConfigMap',
    (bytes) => configMapErrors({ data: { a: text(1000), b: text(bytes - 1000) } }),
    '[]',
  ],
  [
    'texts and bytes of a ConfigMap',
    (bytes) => configMapErrors({ data: { a: text(1000) }, binaryData: { b: base64(bytes - 1000) } }),
    '[]',
  ],
  [
    'bytes of a Secret',
    (bytes) => secretErrors({ data: { a: base64(1000), b: base64(bytes - 1000) } }),
    'data',
  ],
])('%s have maxDataBytes at most', (_what, errorsFor, field) => {
  expect(errorsFor(maxDataBytes)).toEqual([]);
  expect(errorsFor(maxDataBytes + 1).map(fieldErrorText)).toEqual([
    `${field}: Too long: may not be more than 1048576 bytes`,
  ]);
});

const many = (key: (i: number) => string): JsonObject =>
  Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [key(i), 'x']));

it.each<[what: string, object: object, old: object | undefined, expected: string[]]>([
  ['valid keys', { data: many((i) => `k${i}`), binaryData: many((i) => `b${i}`) }, undefined, []],
  ['an invalid key at the end', { data: { ...many((i) => `k${i}`), 'a b': '' } }, undefined, ['data[a b]']],
  [
    'a key of both maps',
    { data: many((i) => `k${i}`), binaryData: { k2999: '' } },
    undefined,
    ['data[k2999]'],
  ],
  [
    'another key of an immutable object',
    { immutable: true, data: { ...many((i) => `k${i}`), z: '' } },
    { immutable: true, data: many((i) => `k${i}`) },
    ['data'],
  ],
  [
    'the same keys of an immutable object',
    { immutable: true, data: many((i) => `k${i}`) },
    { immutable: true, data: many((i) => `k${2999 - i}`) },
    [],
  ],
])('checks many keys in passes: %s', (_what, object, old, expected) => {
  const passes = configMapValidation.content?.(configMap(object), old && configMap(old));
  expect(passes && [...passes].length).toBeGreaterThan(5);
  const errors = errorsOf(configMapValidation, configMap(object), old && configMap(old));
  expect(errors.map(({ field }) => field)).toEqual(expected);
});
