import {
  isObject,
  type JsonValue,
  nestsTooDeep,
  parseJson,
  StatusError,
  type KubeObject,
} from '@annex/machinery';
import { asJson, type RequestContext, type ResourceKind } from '@annex/kinds';
import { type FuzzTarget, orError, orErrorLater, utf8Text } from '@annex/testkit';
import { crdOf, versionOf, withProperties } from '../crd.fixture.ts';
import { crdKind } from './crd-kind.ts';

let kind: ResourceKind | undefined;

const columns = {
  additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.s' },
  },
  selectableFields: [{ jsonPath: '.spec.a' }],
};
const spec = {
  type: 'object',
  properties: {
    a: { type: 'string', pattern: '^a+$', default: 'a' },
    n: { type: 'integer' },
    l: {
      type: 'array',
      items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self.a.size() < 5', message: 'm', fieldPath: '.a', reason: 'FieldValueInvalid' },
  ],
};
const crds = [
  crdOf({ names: { plural: 'widgets', kind: 'Widget', shortNames: ['w'], categories: ['all'] } }, {
    ...versionOf(),
    ...columns,
    schema: withProperties({
      spec,
      status: { type: 'object', properties: { n: { type: 'integer' }, s: { type: 'string' } } },
    }),
  } as never),
  crdOf({
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x', caBundle: '' } },
    },
  }),
];

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'crd',
    seeds: crds.map((crd) => JSON.stringify(crd)),
    dictionary: [
      '"type"',
      '"properties"',
      '"items"',
      '"additionalProperties"',
      '"default"',
      '"x-kubernetes-validations"',
      '"rule"',
      '"oneOf"',
      '"not"',
      '"nullable":true',
      '"$ref"',
      'null',
      '{}',
      '[]',
      '"__proto__"',
      '"jsonPath"',
      '"versions"',
      '"conversion"',
    ],
    maxBytes: 3072,
    maxGrownBytes: 32_768,
    async run(input) {
      const object = orError((): JsonValue => parseJson(utf8Text(input)), [SyntaxError]);
      if (object instanceof Error || !isObject(object) || nestsTooDeep(object)) return;
      if (!isObject(object.metadata)) return;
      kind ??= crdKind(() => 0);
      await orErrorLater(() => validated(kind!, object as unknown as KubeObject), [StatusError]);
    },
  },
];

/** Decodes, defaults and validates a CRD as the write path does, for a create and for an update without changes. */
async function validated({ schema, strategy }: ResourceKind, crd: KubeObject): Promise<void> {
  if (schema.decodeError?.(asJson(crd)) !== undefined) return;
  schema.prune(asJson(crd));
  schema.applyDefaults(asJson(crd));
  const context = { signal: new AbortController().signal } as RequestContext;
  await strategy.prepareForCreate?.(crd, context);
  await strategy.validateCreate?.(crd, context);
  await strategy.validateUpdate?.(crd, structuredClone(crd), context);
  await strategy.warnings?.(crd, undefined, context);
}
