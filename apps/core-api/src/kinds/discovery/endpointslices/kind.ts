import { textCell } from '../../shared/cells.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { sliceEndpoints, slicePorts } from './columns.ts';
import { validateEndpointSlice } from './validation.ts';

export const endpointSlices: BuiltinKind = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  defaults: { 'io.k8s.api.discovery.v1.EndpointPort': { name: '', protocol: 'TCP' } },
  validation: { object: validateEndpointSlice, update: immutable('addressType') },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    generationCounts: 'labels',
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
  cells: { AddressType: textCell('addressType'), Ports: slicePorts, Endpoints: sliceEndpoints },
};
