import { validateDns1123Label } from '@annex/machinery';
import { textCell } from '../../shared/cells.ts';
import { fields, required, text } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';

export const runtimeClasses: BuiltinKind = {
  group: 'node.k8s.io',
  resource: 'runtimeclasses',
  validation: {
    object: fields({ handler: required(text(validateDns1123Label)) }),
    update: immutable('handler'),
  },
  strategy: {
    allowCreateOnUpdate: true,
    metaChecks: { asUpdate: 1, asWhole: 1, standardFinalizers: false },
  },
  cells: { Handler: textCell('handler') },
};
