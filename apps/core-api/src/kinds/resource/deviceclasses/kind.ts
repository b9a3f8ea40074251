import { nameIsLongName } from '@annex/machinery';
import { childOf, inSpec } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { compileInSlices } from '../shared/device-selectors.ts';
import { validateDeviceClassSpec } from './validation.ts';

export const deviceClasses: BuiltinKind = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  validation: {
    before: (deviceClass) => compileInSlices([childOf(deviceClass, 'spec').selectors]),
    object: inSpec(validateDeviceClassSpec),
  },
  strategy: {
    validateName: nameIsLongName,
    allowUnconditionalUpdate: true,
    generation: true,
    returnsDeleted: true,
  },
};
