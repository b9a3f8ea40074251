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

/** Converts attributes to the spec of a SubjectAccessReview; empty members are left out. */
export function accessReviewSpec(attributesToReview: Attributes): AccessReviewSpec {
  const { user, verb, path } = attributesToReview;
  const subject = {
    ...(user.name ? { user: user.name } : {}),
    ...(user.groups.length > 0 ? { groups: user.groups } : {}),
    ...(user.uid ? { uid: user.uid } : {}),
    ...(Object.keys(user.extra).length > 0 ? { extra: user.extra } : {}),
  };
  if (!attributesToReview.resourceRequest)
    return { ...subject, nonResourceAttributes: withoutEmpty({ path, verb }) };
  const attributes = withoutEmpty({
    namespace: attributesToReview.namespace,
    verb,
    group: attributesToReview.apiGroup,
    version: attributesToReview.apiVersion,
    resource: attributesToReview.resource,
    subresource: attributesToReview.subresource,
    name: attributesToReview.name,
  });
  return { ...subject, resourceAttributes: { ...attributes, ...selectors(attributesToReview) } };
}

const withoutEmpty = (fields: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));

/** Omits requirements that a review cannot express: the review is then broader, never narrower. */
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
