import { fieldErrors } from '@annex/machinery';
import { textCell } from '../../shared/cells.ts';
import { type Check, fields, inSpec, nonNegative } from '../../shared/checks.ts';
import { gatedFields } from '../../shared/gated-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';

const positive: Check = (value, at) =>
  typeof value === 'number' && value <= 0 ? [fieldErrors.invalid(at, value, 'must be greater than 0')] : [];

export const leases: BuiltinKind = {
  group: 'coordination.k8s.io',
  resource: 'leases',
  validation: {
    object: inSpec(fields({ leaseDurationSeconds: positive, leaseTransitions: nonNegative })),
  },
  strategy: {
    ...gatedFields('spec.strategy', 'spec.preferredHolder'),
    allowCreateOnUpdate: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: false },
  },
  cells: { Holder: textCell('spec.holderIdentity') },
};
