import { fieldErrors, isObject } from '@annex/machinery';
import { numberCell } from '../../shared/cells.ts';
import { fields, nonNegative } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { controllerCell } from './columns.ts';

export const controllerRevisions: BuiltinKind = {
  group: 'apps',
  resource: 'controllerrevisions',
  validation: {
    object: fields({
      data: (value, at) => (isObject(value) ? [] : [fieldErrors.required(at, 'data is mandatory')]),
      revision: nonNegative,
    }),
    update: immutable('data'),
  },
  strategy: {
    allowUnconditionalUpdate: true,
  },
  cells: { Controller: controllerCell, Revision: numberCell('revision') },
};
