import type { ManagedFieldsEntry } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { keepManagedFieldsTimes, managedFieldsError } from './managed-fields-times.ts';
import { apiVersion, toy } from '../typed-values/typed-testdata.ts';

const entry = (time: string, field = 'f:spec'): ManagedFieldsEntry => ({
  manager: 'm',
  operation: 'Apply',
  apiVersion,
  time,
  fieldsType: 'FieldsV1',
  fieldsV1: { [field]: {} },
});
const at = (time: string, color: string, field?: string) =>
  toy({ color }, { managedFields: [entry(time, field)] });

describe('keepManagedFieldsTimes', () => {
  const cases = [
    { name: 'takes the stored time where only the time differs', updated: at('2', 'red'), time: '1' },
    { name: 'keeps the new time where the object differs', updated: at('2', 'blue'), time: '2' },
    { name: 'keeps the new time where the fields differ', updated: at('2', 'red', 'f:status'), time: '2' },
  ];
  it.each(cases)('$name', ({ updated, time }) => {
    keepManagedFieldsTimes(updated, at('1', 'red'));
    expect(updated.metadata.managedFields?.[0]?.time).toBe(time);
  });
});

describe('managedFieldsError', () => {
  const invalid = (more: object): ManagedFieldsEntry[] => [{ ...entry('1'), ...more }];
  it.each([
    [invalid({}), undefined],
    [invalid({ operation: 'Nope' }), 'operation must be `Apply` or `Update`'],
    [invalid({ apiVersion: '' }), 'apiVersion must not be empty'],
    [invalid({ fieldsType: undefined }), 'missing fieldsType in managed fields entry 0'],
    [invalid({ fieldsType: 'V2' }), 'invalid fieldsType "V2" in managed fields entry 0'],
    [
      invalid({ fieldsV1: { 'x-': {} } }),
      'error decoding versioned set from {"manager":"m","operation":"Apply"}: error decoding set: missing colon: x-',
    ],
  ])('%#', (entries, error) => {
    expect(managedFieldsError(entries)).toBe(error);
  });
});
