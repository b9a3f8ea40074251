import type { Environment } from '../environment.ts';
import { type CelType, listType, mapType, structType, types } from '../typing/type.ts';
import { kubernetesEnvironment } from './environment.ts';

const { string } = types;
const texts = listType(string);
const named = (name: string): CelType => structType(`kubernetes.${name}`);
const selector = { rawSelector: string, requirements: listType(named('SelectorRequirement')) };

const structs: Readonly<Record<string, Readonly<Record<string, CelType>>>> = {
  'kubernetes.SubjectAccessReviewSpec': {
    resourceAttributes: named('ResourceAttributes'),
    nonResourceAttributes: named('NonResourceAttributes'),
    user: string,
    groups: texts,
    extra: mapType(string, texts),
    uid: string,
  },
  'kubernetes.ResourceAttributes': {
    namespace: string,
    verb: string,
    group: string,
    version: string,
    resource: string,
    subresource: string,
    name: string,
    fieldSelector: named('FieldSelectorAttributes'),
    labelSelector: named('LabelSelectorAttributes'),
  },
  'kubernetes.NonResourceAttributes': { path: string, verb: string },
  'kubernetes.FieldSelectorAttributes': selector,
  'kubernetes.LabelSelectorAttributes': selector,
  'kubernetes.SelectorRequirement': { key: string, operator: string, values: texts },
};

/**
 * The environment of match conditions of authorization webhooks: `request` is the `spec` of a SubjectAccessReview. Source:
 * "Authorization Configuration" in the Kubernetes documentation.
 */
export const authorizationEnvironment: Environment = kubernetesEnvironment.extend({
  typeProviders: [
    {
      findType: (name) => (Object.hasOwn(structs, name) ? structType(name) : undefined),
      findField(name, field) {
        const fields = Object.hasOwn(structs, name) ? structs[name] : undefined;
        return fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
      },
    },
  ],
  variables: [{ name: 'request', type: named('SubjectAccessReviewSpec') }],
});
