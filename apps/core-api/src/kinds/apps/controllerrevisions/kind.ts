import { type FieldError, fieldErrors, isObject } from '@annex/machinery';
import { numberCell } from '../../shared/cells.ts';
import { fields, nonNegative } from '../../shared/checks.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { controllerCell } from './columns.ts';

function dataErrors(data: unknown): FieldError[] {
  if (isObject(data)) return [];
  const text = data === null ? 'data is mandatory' : 'data must be a valid JSON object';
  return [fieldErrors.required('data', text)];
}

export const controllerRevisions: BuiltinKind = {
  group: 'apps',
  resource: 'controllerrevisions',
  validation: {
    object: fields({ revision: nonNegative }),
    create: ({ data }) => dataErrors(data ?? null),
    update: immutable('data'),
  },
  strategy: {
    allowUnconditionalUpdate: true,
  },
  cells: { Controller: controllerCell, Revision: numberCell('revision') },
};
