import { FieldPath } from '@annex/machinery';
import { childOf } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { claimDefaults } from '../shared/defaults.ts';
import { validateDeviceClaim } from '../shared/device-claim.ts';

const devicesPath = FieldPath.of('spec', 'spec', 'devices');

export const resourceClaimTemplates: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'resourceclaimtemplates',
  defaults: claimDefaults,
  validation: {
    create: (template) =>
      validateDeviceClaim(childOf(childOf(childOf(template, 'spec'), 'spec'), 'devices'), devicesPath),
    update: immutable('spec'),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    returnsDeleted: true,
  },
};
