import { textCell } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { validateRuntimeClass } from './validation.ts';

export const runtimeClasses: BuiltinKind = {
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  validation: {
    object: validateRuntimeClass,
    update: immutable('handler'),
  },
  strategy: {
    allowCreateOnUpdate: true,
    metaChecks: { asUpdate: 1, asWhole: 1, standardFinalizers: false },
  },
  cells: { Handler: textCell('handler') },
};
