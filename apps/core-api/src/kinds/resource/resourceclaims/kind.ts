import { allMetadata, statusEndpoint } from '@annex/kinds';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';
import { claimState } from './columns.ts';

export const resourceClaims: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaims',
  defaults: claimDefaults,
  validation: { update: immutable('spec') },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  cells: { State: claimState },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
