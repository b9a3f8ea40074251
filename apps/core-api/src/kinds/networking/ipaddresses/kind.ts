import { inSpec } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { parentRef } from './columns.ts';
import { goParent, nameIsAddress, validateIpAddressSpec } from './validation.ts';

export const ipAddresses: BuiltinKind = {
  group: 'networking.k8s.io',
  resource: 'ipaddresses',
  validation: {
    object: inSpec(validateIpAddressSpec),
    update: immutable({ path: 'spec.parentRef', print: goParent }),
  },
  strategy: {
    validateName: nameIsAddress,
    allowUnconditionalUpdate: true,
  },
  cells: { ParentRef: parentRef },
};
