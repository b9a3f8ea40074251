import type { BuiltinKind } from '../../builtin-kind.ts';

export const componentStatuses: BuiltinKind = {
  group: '',
  resource: 'componentstatuses',
  deprecationWarning: 'v1 ComponentStatus is deprecated in v1.19+',
};
