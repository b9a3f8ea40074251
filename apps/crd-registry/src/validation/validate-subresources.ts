import { type FieldError, fieldErrors, type FieldPath, TypedText } from '@annex/machinery';
import type { CrdSubresources } from '../crd/crd.ts';
import { validateSimplePath } from './validate-columns.ts';

const { invalid, required } = fieldErrors;

const under = [
  ['specReplicasPath', ['.spec.'], 'should be a json path under .spec'],
  ['statusReplicasPath', ['.status.'], 'should be a json path under .status'],
  ['labelSelectorPath', ['.spec.', '.status.'], 'should be a json path under either .spec or .status'],
] as const;

/** Validates the `subresources` of a version: the allowed paths of scale. */
export function validateSubresources(
  subresources: CrdSubresources | undefined,
  path: FieldPath,
): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  return under.flatMap(([field, prefixes, error]) => {
    const at = path.child('scale', field);
    const value = scale[field] ?? '';
    if (value === '') return field === 'labelSelectorPath' ? [] : [required(at)];
    const errors = validateSimplePath(value, at);
    if (errors.length > 0 || prefixes.some((prefix) => value.startsWith(prefix))) return errors;
    return [invalid(at, field === 'labelSelectorPath' ? new TypedText(value) : value, error)];
  });
}
