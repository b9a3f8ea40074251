import { definitionManifest } from '@annex/testkit';

/** A kind with a field of any content, one of integers, and one with a pattern. */
export const wildcardDefinition = definitionManifest({
  group: 'hostile.example',
  kind: 'Wildcard',
  schema: {
    properties: {
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      amount: { type: 'integer', format: 'int64' },
      word: { type: 'string', pattern: '^(a+)+$' },
    },
  },
});

/** The path of its objects. */
export const wildcards = '/apis/hostile.example/v1/namespaces/default/wildcards';

/** Returns JSON as text, because some of it cannot be created from values. */
export const wildcard = (name: string, rest: string): string =>
  `{"apiVersion":"hostile.example/v1","kind":"Wildcard","metadata":{"name":"${name}"},${rest}}`;
