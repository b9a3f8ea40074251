import type { BuiltinKind } from '../../builtin-kind.ts';
import { bindingColumns } from '../shared/columns.ts';
import { matchResourcesDefaults } from '../shared/defaults.ts';
import { validateValidatingBinding } from './validation.ts';

export const validatingAdmissionPolicyBindings: BuiltinKind = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicybindings',
  defaults: matchResourcesDefaults,
  validation: { object: validateValidatingBinding },
  strategy: {
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: false },
  },
  cells: bindingColumns,
};
