import { fieldErrorText, FieldPath, type KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { configMapValidation } from '../configmaps/validation.ts';
import { secretValidation } from '../secrets/validation.ts';
import { maxDataBytes } from './data.ts';

const text = (bytes: number) => 'x'.repeat(bytes);
const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');
const configMap = (content: object): KubeObject => ({ metadata: { name: 'a' }, ...content });
const configMapErrors = (content: object) =>
  configMapValidation.create?.(configMap(content), FieldPath.root) ?? [];
const secretErrors = (content: object) =>
  secretValidation.create?.(configMap({ type: 'Opaque', ...content }), FieldPath.root) ?? [];

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
