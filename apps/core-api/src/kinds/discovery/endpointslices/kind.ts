import { asJson } from '@annex/kinds';
import { deepEqual, type KubeObject } from '@annex/machinery';
import { objectsOf } from '../../shared/checks.ts';
import { textCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { sliceEndpoints, slicePorts } from './columns.ts';
import { validateEndpointSlice, validateSliceUpdate } from './validation.ts';

/** The first version of the API had the topology of an endpoint. */
function dropTopology({ endpoints }: KubeObject): void {
  for (const endpoint of objectsOf(endpoints)) delete endpoint.deprecatedTopology;
}

export const endpointSlices: BuiltinKind = {
  group: 'discovery.k8s.io',
  resource: 'endpointslices',
  defaults: { 'io.k8s.api.discovery.v1.EndpointPort': { name: '', protocol: 'TCP' } },
  validation: {
    create: validateEndpointSlice,
    update: validateSliceUpdate,
  },
  strategy: {
    prepareForCreate: (slice) => dropTopology(slice),
    prepareForUpdate(slice, old) {
      if (!deepEqual(asJson(slice).endpoints ?? null, asJson(old).endpoints ?? null)) dropTopology(slice);
    },
    allowUnconditionalUpdate: true,
    generation: true,
    generationCounts: 'labels',
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
  cells: { AddressType: textCell('addressType'), Ports: slicePorts, Endpoints: sliceEndpoints },
};
