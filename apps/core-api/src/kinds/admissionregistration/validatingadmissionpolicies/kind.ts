import { allMetadata, statusEndpoint } from '@annex/kinds';
import { countCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { paramKindCell } from '../shared/columns.ts';
import { matchResourcesDefaults } from '../shared/defaults.ts';
import { checkValidatingPolicy } from './validation.ts';

export const validatingAdmissionPolicies: BuiltinKind = {
  group: 'admissionregistration.k8s.io',
  resource: 'validatingadmissionpolicies',
  defaults: {
    ...matchResourcesDefaults,
    'io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec': { failurePolicy: 'Fail' },
  },
  validation: { content: checkValidatingPolicy },
  strategy: {
    generation: true,
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: false },
  },
  cells: { Validations: countCell('spec.validations'), ParamKind: paramKindCell },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
