import { FieldPath } from '@annex/machinery';
import type { KindExtension } from '@annex/kinds';
import { quotaChanges, quotaSpec, quotaStatus, quotaWarnings } from './validation.ts';

const at = FieldPath.of('spec');

/** ResourceQuotas; what they limit is charged at admission. */
export const resourceQuotas: KindExtension = {
  strategy: {
    validateCreate: ({ spec }) => quotaSpec(spec, at),
    validateUpdate: (quota, old) => [
      ...quotaSpec(quota.spec, at),
      ...quotaChanges(quota, old, FieldPath.root),
    ],
    warnings: (quota, old) => (old === undefined ? quotaWarnings(quota) : []),
  },
  subresources: {
    status: { validate: ({ status }) => quotaStatus(status, FieldPath.of('status')) },
  },
};
