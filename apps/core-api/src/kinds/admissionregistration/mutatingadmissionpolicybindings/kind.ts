import { all, fields, inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { bindingFields } from '../shared/bindings.ts';
import { bindingColumns } from '../shared/columns.ts';
import { matchResourcesDefaults } from '../shared/defaults.ts';
import { mutableOperations } from '../shared/rules.ts';

export const mutatingAdmissionPolicyBindings: BuiltinKind = {
  group: 'admissionregistration.k8s.io',
  resource: 'mutatingadmissionpolicybindings',
  defaults: matchResourcesDefaults,
  validation: {
    object: inSpec(
      fields({ ...bindingFields, matchResources: all(bindingFields.matchResources, mutableOperations) }),
    ),
  },
  strategy: {
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: false },
  },
  cells: bindingColumns,
};
