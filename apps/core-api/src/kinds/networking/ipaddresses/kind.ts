import { inSpec } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { parentRef } from './columns.ts';
import { validateIpAddressSpec } from './validation.ts';

export const ipAddresses: BuiltinKind = {
  group: 'networking.k8s.io',
  resource: 'ipaddresses',
  validation: { object: inSpec(validateIpAddressSpec), update: immutable('spec.parentRef') },
  strategy: {
    allowUnconditionalUpdate: true,
  },
  cells: { ParentRef: parentRef },
};
