import { allMetadata, statusEndpoint } from '@annex/kinds';
import { childOf, inSpec } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';
import { goClaimSpec } from '../shared/go-claim.ts';
import { compileClaim, validateClaimSpec } from '../shared/device-claim.ts';
import { claimState } from './columns.ts';

export const resourceClaims: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaims',
  defaults: claimDefaults,
  validation: {
    before: (claim, old) => (old === undefined ? compileClaim(childOf(claim, 'spec')) : undefined),
    create: inSpec(validateClaimSpec),
    update: immutable({ path: 'spec', print: goClaimSpec }),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  cells: { State: claimState },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
