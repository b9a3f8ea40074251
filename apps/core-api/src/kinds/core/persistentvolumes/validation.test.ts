import { FieldPath, fieldErrorText, type JsonObject, noteEmptyField } from '@annex/machinery';
import { expect, it } from 'vitest';
import { validateVolumeSpec } from './validation.ts';

it.each([
  ['sent empty', true, '{}'],
  ['absent', false, 'null'],
])('a capacity that is %s is quoted so', (_, isSent, quoted) => {
  const spec: JsonObject = { accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } };
  if (isSent) noteEmptyField(spec, 'capacity', {});
  expect(validateVolumeSpec(spec, FieldPath.of('spec')).map(fieldErrorText)).toContain(
    `spec.capacity: Unsupported value: ${quoted}: supported values: "storage"`,
  );
});
