import {
  deepEqual,
  type FieldError,
  FieldPath,
  fieldErrors,
  type KubeObject,
  type Passes,
  pushAll,
} from '@annex/machinery';
import { validateSelectors } from './selectors.ts';
import type { AccessReviewSpec, ResourceAttributes } from './types.ts';

const spec = FieldPath.of('spec');

/** Returns the validation errors of a review's selectors, which it must have. */
export const selectorErrors = (attributes: ResourceAttributes): Passes<readonly FieldError[]> =>
  validateSelectors(attributes, spec.child('resourceAttributes'));

/** Returns the validation errors of a review's spec, with those of its selectors. A SelfSubjectAccessReview has no subject. */
export function validateSpec(
  review: AccessReviewSpec,
  withSubject: boolean,
  ofSelectors: readonly FieldError[],
): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = review;
  const errors: FieldError[] = [];
  const invalid = (field: string, value: unknown, why: string) =>
    errors.push(fieldErrors.invalid(spec.child(field), value, why));
  if (resourceAttributes && nonResourceAttributes) {
    const why = 'cannot be specified in combination with resourceAttributes';
    invalid('nonResourceAttributes', goNames(nonResourceAttributes), why);
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    invalid('resourceAttributes', null, why);
  }
  if (withSubject && !review.user && !review.groups?.length) {
    invalid('user', '', 'at least one of user or group must be specified');
  }
  pushAll(errors, ofSelectors);
  return errors;
}

/** Reviews have no metadata, except for the namespace of a LocalSubjectAccessReview. */
export function validateMetadata({ metadata }: KubeObject, local: boolean): FieldError[] {
  const isEmpty = ([name, value]: [string, unknown]): boolean =>
    name === 'managedFields' ||
    (local && name === 'namespace') ||
    value == null ||
    value === '' ||
    deepEqual(value, {});
  if (Object.entries(metadata ?? {}).every(isEmpty)) return [];
  return [fieldErrors.invalid('metadata', metadata, `must be empty${local ? ' except for namespace' : ''}`)];
}

/** A LocalSubjectAccessReview is about resources of its namespace. */
export function validateLocal({ metadata }: KubeObject, review: AccessReviewSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = review;
  const errors: FieldError[] = [];
  const { namespace = '' } = resourceAttributes ?? {};
  if (resourceAttributes && namespace !== (metadata.namespace ?? '')) {
    const at = 'spec.resourceAttributes.namespace';
    errors.push(fieldErrors.invalid(at, namespace, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes) {
    const value = goNames(nonResourceAttributes);
    errors.push(
      fieldErrors.invalid('spec.nonResourceAttributes', value, 'disallowed on this kind of request'),
    );
  }
  return errors;
}

// kube prints the names of the Go fields.
const goNames = ({ path = '', verb = '' }: { path?: string; verb?: string }) => ({ Path: path, Verb: verb });
