import { inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateDeviceClassSpec } from './validation.ts';

export const deviceClasses: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  validation: { object: inSpec(validateDeviceClassSpec) },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    returnsDeleted: true,
  },
};
