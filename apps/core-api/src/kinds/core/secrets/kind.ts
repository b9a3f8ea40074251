import { countCell, textCell } from '../../shared/cells.ts';
import { fieldSelectors } from '../../shared/selectable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { secretDefaults } from './defaults.ts';
import { secretValidation } from './validation.ts';

export const secrets: BuiltinKind = {
  group: '',
  resource: 'secrets',
  defaults: { 'io.k8s.api.core.v1.Secret': secretDefaults },
  validation: secretValidation,
  strategy: {
    allowUnconditionalUpdate: true,
  },
  cells: { Type: textCell('type'), Data: countCell('data') },
  selectableFields: fieldSelectors('type'),
};
