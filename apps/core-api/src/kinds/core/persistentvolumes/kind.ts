import { formatTime } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { hostPathDefaults } from '../../shared/pod-spec/defaults.ts';
import { at, textCell } from '../../shared/cells.ts';
import { inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { accessModesText, volumeColumns } from '../shared/volumes.ts';
import { validateVolumeUpdate } from './update.ts';
import { validateVolumeSpec } from './validation.ts';
import { volumeWarnings } from './warnings.ts';

export const persistentVolumes = ({ clock }: ServerDeps): BuiltinKind => ({
  group: '',
  resource: 'persistentvolumes',
  defaults: {
    'io.k8s.api.core.v1.HostPathVolumeSource': hostPathDefaults,
    'io.k8s.api.core.v1.PersistentVolumeSpec': {
      persistentVolumeReclaimPolicy: 'Retain',
      volumeMode: 'Filesystem',
    },
    'io.k8s.api.core.v1.PersistentVolumeStatus': { phase: 'Pending' },
  },
  validation: { object: inSpec(validateVolumeSpec), update: validateVolumeUpdate },
  strategy: {
    allowUnconditionalUpdate: true,
    metaChecks: { asUpdate: 0, asWhole: 2, standardFinalizers: true },
    returnsDeleted: true,
    prepareForCreate(volume) {
      volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(clock.now()) };
    },
  },
  warnings: volumeWarnings,
  cells: {
    ...volumeColumns,
    Capacity: textCell('spec.capacity.storage', '0'),
    'Access Modes': (volume) => accessModesText(at(volume, 'spec.accessModes')),
    'Reclaim Policy': textCell('spec.persistentVolumeReclaimPolicy'),
    Claim: (volume) =>
      at(volume, 'spec.claimRef')
        ? `${String(at(volume, 'spec.claimRef.namespace') ?? '')}/${String(at(volume, 'spec.claimRef.name') ?? '')}`
        : '',
    Reason: textCell('status.reason'),
  },
});
