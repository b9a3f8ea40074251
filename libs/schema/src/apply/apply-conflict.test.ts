import type { ManagedFieldsEntry } from '@annex/machinery';
import { expect, test } from 'vitest';
import { conflictStatus } from './apply-conflict.ts';
import { managerId } from '../managed-fields/managed-fields.ts';
import { fieldElement } from '../managed-fields/field-set-element.ts';

const path = [fieldElement('spec'), fieldElement('size')];

test.each<[string, ManagedFieldsEntry, string]>([
  ['an applier by name', { manager: 'a', operation: 'Apply', apiVersion: 'v1' }, '"a"'],
  [
    'an updater with its version',
    { manager: 'a', operation: 'Update', apiVersion: 'g.io/v1' },
    '"a" using g.io/v1',
  ],
  [
    'the subresource',
    { manager: 'a', operation: 'Update', apiVersion: 'v1', subresource: 'status' },
    '"a" with subresource "status" using v1',
  ],
  ['names as Go quotes them', { manager: 'é\u0001"\u00a0', operation: 'Apply' }, '"é\\x01\\"\\u00a0"'],
])('a conflict names %s', (_name, entry, printed) => {
  const { status } = conflictStatus([{ manager: managerId(entry), path }]);
  expect(status.message).toBe(`Apply failed with 1 conflict: conflict with ${printed}: .spec.size`);
});
