import { countCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { configMapValidation } from './validation.ts';

export const configMaps: BuiltinKind = {
  group: '',
  resource: 'configmaps',
  validation: configMapValidation,
  strategy: {
    allowUnconditionalUpdate: true,
  },
  cells: { Data: countCell('data', 'binaryData') },
};
