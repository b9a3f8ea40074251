import { formatTime, type KubeObject } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { textCell } from '../../shared/cells.ts';
import { childOf, inSpec, objectsOf } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { fieldSelectors } from '../../shared/selectable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateSliceSpec } from './validation.ts';

/** Sets when taints were added, unless the driver says so. */
function stampTaints(slice: KubeObject, now: number): void {
  for (const device of objectsOf(childOf(slice, 'spec').devices))
    for (const taint of objectsOf(device.taints)) taint.timeAdded ??= formatTime(now);
}

export const resourceSlices = ({ clock }: ServerDeps): BuiltinKind => ({
  group: 'resource.k8s.io',
  resource: 'resourceslices',
  defaults: {
    'io.k8s.api.resource.v1.Counter': { value: '0' },
    'io.k8s.api.resource.v1.DeviceCapacity': { value: '0' },
  },
  validation: {
    object: inSpec(validateSliceSpec),
    update: immutable('spec.pool.name', 'spec.driver', 'spec.nodeName'),
  },
  strategy: {
    prepareForCreate: (slice) => stampTaints(slice, clock.now()),
    prepareForUpdate: (slice) => stampTaints(slice, clock.now()),
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    returnsDeleted: true,
  },
  cells: {
    Node: textCell('spec.nodeName'),
    Driver: textCell('spec.driver'),
    Pool: textCell('spec.pool.name'),
  },
  selectableFields: fieldSelectors('spec.nodeName', 'spec.driver'),
  unknownField: (name) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${name}`,
});
