import { getOwn, type JsonObject, type Passes, setOwn } from '@annex/machinery';
import {
  flag,
  texts,
  pointer,
  record,
  scalar,
  schemaShape,
  type Shape,
  shapedInPasses,
  text,
  to,
} from './go-shape.ts';

/** The API versions of CRDs. */
export type CrdVersionName = 'v1' | 'v1beta1';

const names: Shape = {
  is: 'record',
  fields: {
    plural: text,
    singular: scalar,
    shortNames: texts,
    kind: text,
    listKind: scalar,
    categories: texts,
  },
};

const columns = (jsonPath: string): Shape => ({
  is: 'list',
  of: record({
    name: text,
    type: text,
    format: scalar,
    description: scalar,
    priority: scalar,
    [jsonPath]: text,
  }),
});

const validation = to(record({ openAPIV3Schema: to(schemaShape) }));
const subresources = to(
  record({
    status: to(record({})),
    scale: to(record({ specReplicasPath: text, statusReplicasPath: text, labelSelectorPath: pointer })),
  }),
);
const selectableFields: Shape = { is: 'list', of: record({ jsonPath: text }) };

const versionWith = (jsonPath: string): Shape =>
  record({
    name: text,
    served: flag,
    storage: flag,
    deprecated: scalar,
    deprecationWarning: pointer,
    schema: validation,
    subresources,
    additionalPrinterColumns: columns(jsonPath),
    selectableFields,
  });

const clientConfig = to(
  record({
    url: pointer,
    service: to(record({ namespace: text, name: text, path: pointer, port: pointer })),
    caBundle: scalar,
  }),
);

const conversion = record({
  strategy: text,
  webhook: to(record({ clientConfig, conversionReviewVersions: { is: 'list', of: text, absent: null } })),
});

const specs: Record<CrdVersionName, Record<string, Shape>> = {
  v1: {
    group: text,
    names,
    scope: text,
    versions: { is: 'list', of: versionWith('jsonPath'), absent: null },
    conversion: to(conversion),
    preserveUnknownFields: scalar,
  },
  v1beta1: {
    group: text,
    version: scalar,
    names,
    scope: text,
    validation,
    subresources,
    versions: { is: 'list', of: versionWith('JSONPath') },
    additionalPrinterColumns: columns('JSONPath'),
    selectableFields,
    conversion: to(
      record({ strategy: text, webhookClientConfig: clientConfig, conversionReviewVersions: texts }),
    ),
    preserveUnknownFields: pointer,
  },
};

const status: Shape = {
  is: 'record',
  fields: {
    conditions: {
      is: 'list',
      absent: null,
      of: record({
        type: text,
        status: text,
        lastTransitionTime: { is: 'scalar', absent: null },
        reason: scalar,
        message: scalar,
        observedGeneration: scalar,
      }),
    },
    acceptedNames: names,
    storedVersions: { is: 'list', of: text, absent: null },
    observedGeneration: scalar,
  },
};

/** Normalizes `spec` and `status` of a CRD to the form that kube-apiserver prints; changes the object in place. */
export function* roundTrip(object: object, version: CrdVersionName = 'v1'): Passes<void> {
  const target = object as JsonObject;
  const spec: Shape = { is: 'record', fields: specs[version] };
  for (const [field, shape] of Object.entries({ spec, status })) {
    const value = yield* shapedInPasses(getOwn(target, field), shape);
    if (value !== undefined) setOwn(target, field, value);
  }
}
