import { allMetadata, statusEndpoint } from '@annex/kinds';
import { FieldPath } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';
import { validateDeviceClaim } from '../shared/device-claim.ts';
import { claimState } from './columns.ts';

const devicesPath = FieldPath.of('spec', 'devices');

export const resourceClaims: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaims',
  defaults: claimDefaults,
  validation: {
    create: (claim) => validateDeviceClaim(childOf(childOf(claim, 'spec'), 'devices'), devicesPath),
    update: immutable('spec'),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
  cells: { State: claimState },
  subresources: { status: statusEndpoint({ keeps: allMetadata }) },
};
