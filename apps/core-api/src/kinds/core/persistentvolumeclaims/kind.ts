import { childOf, inSpec } from '../../shared/checks.ts';
import { annotations, root } from '../../shared/warnings.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { formerClassAnnotation } from '../shared/volumes.ts';
import { claimColumns } from './columns.ts';
import { completeDataSources } from './data-sources.ts';
import { claimSpecDefaults, claimStatusDefaults } from './defaults.ts';
import { claimStatus } from './status.ts';
import { validateClaimSpec, validateClaimUpdate } from './validation.ts';
import { claimWarnings } from './warnings.ts';

export const persistentVolumeClaims: BuiltinKind = {
  group: '',
  resource: 'persistentvolumeclaims',
  defaults: {
    'io.k8s.api.core.v1.PersistentVolumeClaimCondition': { lastProbeTime: null, lastTransitionTime: null },
    'io.k8s.api.core.v1.PersistentVolumeClaimSpec': claimSpecDefaults,
    'io.k8s.api.core.v1.PersistentVolumeClaimStatus': claimStatusDefaults,
  },
  validation: { object: inSpec(validateClaimSpec), update: validateClaimUpdate },
  strategy: {
    prepareForCreate: (claim) => completeDataSources(claim),
    prepareForUpdate: completeDataSources,
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  warnings: (claim) => [
    ...annotations(claim, formerClassAnnotation, root),
    ...claimWarnings(childOf(claim, 'spec'), root.child('spec')),
  ],
  cells: claimColumns,
  subresources: { status: claimStatus },
};
