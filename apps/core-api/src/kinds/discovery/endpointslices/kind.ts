import { asJson } from '@annex/kinds';
import { deepEqual, type KubeObject } from '@annex/machinery';
import { objectsOf } from '../../shared/checks.ts';
import { textCell } from '../../shared/cells.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { sliceEndpoints, slicePorts } from './columns.ts';
import { validateEndpointSlice, validateSliceUpdate } from './validation.ts';

/** The first version of the API had the topology of an endpoint. Returns whether an endpoint has one. */
function dropTopology({ endpoints }: KubeObject): boolean {
  const withTopology = objectsOf(endpoints).filter((endpoint) => endpoint.deprecatedTopology !== undefined);
  for (const endpoint of withTopology) delete endpoint.deprecatedTopology;
  return withTopology.length > 0;
}

/** An update with a topology is another generation, although the topology is dropped. */
function prepareForUpdate(slice: KubeObject, old: KubeObject): void {
  if (deepEqual(asJson(slice).endpoints ?? null, asJson(old).endpoints ?? null)) return;
  if (dropTopology(slice)) slice.metadata.generation = Number(old.metadata.generation ?? 0) + 1;
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
    prepareForCreate: (slice) => void dropTopology(slice),
    prepareForUpdate,
    allowUnconditionalUpdate: true,
    generation: true,
    generationCounts: 'labels',
    metaChecks: { asUpdate: 0, asWhole: 1, standardFinalizers: true },
  },
  cells: { AddressType: textCell('addressType'), Ports: slicePorts, Endpoints: sliceEndpoints },
};
