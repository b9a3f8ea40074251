import { countCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { paramKindCell } from '../shared/columns.ts';
import { matchResourcesDefaults } from '../shared/defaults.ts';
import { checkMutatingPolicy } from './validation.ts';

export const mutatingAdmissionPolicies: BuiltinKind = {
  group: 'admissionregistration.k8s.io',
  resource: 'mutatingadmissionpolicies',
  defaults: {
    ...matchResourcesDefaults,
    'io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec': { failurePolicy: 'Fail' },
  },
  validation: { content: checkMutatingPolicy },
  strategy: {
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: false },
  },
  cells: { Mutations: countCell('spec.mutations'), ParamKind: paramKindCell },
};
