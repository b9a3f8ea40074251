import { expect, it } from 'vitest';
import { validateNodeUpdate } from './validation.ts';

it.each([
  ['that sets what was not set', {}, { podCIDRs: ['10.0.0.0/24'], providerID: 'a' }, []],
  [
    'that keeps it',
    { podCIDRs: ['10.0.0.0/24'], providerID: 'a' },
    { podCIDRs: ['10.0.0.0/24'], providerID: 'a' },
    [],
  ],
  ['of the provider', { providerID: 'a' }, { providerID: 'b' }, ['spec.providerID']],
  ['without ranges', { podCIDRs: ['10.0.0.0/24'] }, {}, ['spec.podCIDRs']],
  [
    'of two ranges',
    { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] },
    { podCIDRs: ['10.1.0.0/24', 'fd01::/64'] },
    ['spec.podCIDRs', 'spec.podCIDRs'],
  ],
])('an update of a Node %s', (_what, before, spec, expected) => {
  const errors = validateNodeUpdate({ spec } as never, { spec: before } as never);
  expect(errors.map(({ field }) => field)).toEqual(expected);
});
