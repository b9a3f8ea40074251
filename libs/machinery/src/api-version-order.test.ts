import { expect, it } from 'vitest';
import { compareApiVersions } from './api-version-order.ts';

it('orders versions by stage, then number, then name', () => {
  const versions = [
    'foo1',
    'v1alpha1',
    'v10',
    'v2',
    'v1beta',
    'v11beta2',
    'v12alpha1',
    'v3beta1',
    'foo10',
    'v01',
  ];
  expect(versions.sort(compareApiVersions)).toEqual([
    'v10',
    'v2',
    'v01',
    'v11beta2',
    'v3beta1',
    'v12alpha1',
    'v1alpha1',
    'foo1',
    'foo10',
    'v1beta',
  ]);
});
