import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';

export const resourceClaimTemplates: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaimtemplates',
  defaults: claimDefaults,
  validation: { update: immutable('spec') },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
};
