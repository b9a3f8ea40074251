import type { FieldRequirement, LabelOperator, LabelRequirement } from '@annex/machinery';
import type { Attributes } from '../types.ts';

/** `spec` of a SubjectAccessReview. */
export interface AccessReviewSpec {
  user?: string;
  groups?: readonly string[];
  uid?: string;
  extra?: Readonly<Record<string, readonly string[]>>;
  resourceAttributes?: Readonly<Record<string, unknown>>;
  nonResourceAttributes?: { path?: string; verb?: string };
}

/** The question as a SubjectAccessReview puts it; what is empty is left out. */
export function accessReviewSpec(asked: Attributes): AccessReviewSpec {
  const { user, verb, path } = asked;
  const subject = {
    ...(user.name ? { user: user.name } : {}),
    ...(user.groups.length > 0 ? { groups: user.groups } : {}),
    ...(user.uid ? { uid: user.uid } : {}),
    ...(Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
  };
  if (!asked.resourceRequest) return { ...subject, nonResourceAttributes: withoutEmpty({ path, verb }) };
  const attributes = withoutEmpty({
    namespace: asked.namespace,
    verb,
    group: asked.apiGroup,
    version: asked.apiVersion,
    resource: asked.resource,
    subresource: asked.subresource,
    name: asked.name,
  });
  return { ...subject, resourceAttributes: { ...attributes, ...selectors(asked) } };
}

const withoutEmpty = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** Requirements that a review cannot express are left out: what is asked is then broader, never narrower. */
function selectors({ fieldSelector = [], labelSelector = [] }: Attributes): Record<string, unknown> {
  const labels = labelSelector.flatMap(labelRequirement);
  return {
    ...(fieldSelector.length > 0
      ? { fieldSelector: { requirements: fieldSelector.map(fieldRequirement) } }
      : {}),
    ...(labels.length > 0 ? { labelSelector: { requirements: labels } } : {}),
  };
}

const fieldRequirement = ({ field, operator, value }: FieldRequirement) => ({
  key: field,
  operator: operator === '=' ? 'In' : 'NotIn',
  values: [value],
});

const labelOperators: Readonly<Partial<Record<LabelOperator, string>>> = {
  in: 'In',
  '=': 'In',
  '==': 'In',
  notin: 'NotIn',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

function labelRequirement({ key, operator, values }: LabelRequirement) {
  const known = labelOperators[operator];
  if (known === undefined) return [];
  return [{ key, operator: known, ...(values.length > 0 ? { values } : {}) }];
}
