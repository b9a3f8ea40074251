import type { BuiltinKind } from '../../builtin-kind.ts';
import { endpointsCell } from './columns.ts';
import { validateEndpoints } from './validation.ts';

export const endpoints: BuiltinKind = {
  group: '',
  resource: 'endpoints',
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  defaults: { 'io.k8s.api.core.v1.EndpointPort': { protocol: 'TCP' } },
  validation: { object: validateEndpoints },
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: true,
  },
  cells: { Endpoints: endpointsCell },
};
