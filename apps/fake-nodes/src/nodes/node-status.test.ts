import { expect, it } from 'vitest';
import { newAllocatable } from './node-status.ts';

it('a node offers what users add to its capacity', () => {
  const status = { capacity: { cpu: '4', 'example.com/gpu': '2' }, allocatable: { cpu: '3' } };
  expect(newAllocatable({ metadata: {}, status })).toEqual({ 'example.com/gpu': '2' });
  expect(newAllocatable({ metadata: {}, status: { ...status, allocatable: status.capacity } })).toEqual({});
  expect(newAllocatable({ metadata: {} })).toEqual({});
});
