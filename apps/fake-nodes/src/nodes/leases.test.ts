import { expect, it } from 'vitest';
import { renewalMs } from './leases.ts';

it('Leases are renewed as by a kubelet, and half as often if there are many nodes', () => {
  expect(renewalMs(40, 1)).toBe(10_000);
  expect(renewalMs(40, 1_000)).toBe(10_000);
  expect(renewalMs(40, 1_001)).toBe(20_000);
});
