import { allMetadata, statusEndpoint } from '@annex/kinds';
import { joinedCell } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateServiceCidrSpec, validateServiceCidrUpdate } from './validation.ts';

export const serviceCidrs: BuiltinKind = {
  group: 'networking.k8s.io',
  resource: 'servicecidrs',
  validation: {
    create: inSpec(validateServiceCidrSpec),
    update: validateServiceCidrUpdate,
  },
  strategy: {
    allowUnconditionalUpdate: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  cells: { CIDRs: joinedCell('spec.cidrs') },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
