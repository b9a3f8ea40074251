import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';
import { claimState } from './columns.ts';

export const resourceClaims: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaims',
  defaults: claimDefaults,
  validation: { update: immutable('spec') },
  cells: { State: claimState },
};
