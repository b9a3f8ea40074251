import { FieldPath } from '@annex/machinery';
import { inSpec } from '../../shared/checks.ts';
import { onCreate } from '../../shared/warnings.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { quotaCell } from './columns.ts';
import { quotaChanges, quotaSpec, quotaStatus, quotaWarnings } from './validation.ts';

/** ResourceQuotas. Admission charges them. */
export const resourceQuotas: BuiltinKind = {
  group: '',
  resource: 'resourcequotas',
  validation: {
    object: inSpec(quotaSpec),
    update: (quota, old) => quotaChanges(quota, old, FieldPath.root),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    returnsDeleted: true,
  },
  warnings: onCreate(quotaWarnings),
  cells: { Request: quotaCell(false), Limit: quotaCell(true) },
  subresources: {
    status: { validate: ({ status }) => quotaStatus(status, FieldPath.of('status')) },
  },
};
