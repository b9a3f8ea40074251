import { type FieldError, fieldErrors, type JsonObject } from '@annex/machinery';
import type { KindChecks } from '@annex/schema';
import type { ScalePaths } from '../crd/crd.ts';
import { nestedInteger, nestedString, splitPath } from './nested.ts';

const largestInt32 = 2147483647;

/** The checks of the values at the paths of a scale subresource. Each write of the object checks them. */
export const scaleChecks = (scale: ScalePaths): KindChecks => ({
  ofObject: (object) => [...replicasErrors(object, scale.specReplicasPath), ...statusErrors(object, scale)],
  ofStatus: (object) => statusErrors(object, scale),
});

function statusErrors(object: JsonObject, scale: ScalePaths): FieldError[] {
  const errors = replicasErrors(object, scale.statusReplicasPath);
  const path = scale.labelSelectorPath;
  const selector = path === undefined ? { value: undefined } : nestedString(object, splitPath(path));
  if (path !== undefined && 'error' in selector) errors.push(fieldErrors.invalid(path, '', selector.error));
  return errors;
}

function replicasErrors(object: JsonObject, path: string): FieldError[] {
  const found = nestedInteger(object, splitPath(path));
  if ('error' in found) return [fieldErrors.invalid(path, 0, found.error)];
  const { value = 0 } = found;
  if (value < 0) return [fieldErrors.invalid(path, value, 'should be a non-negative integer')];
  if (value <= largestInt32) return [];
  return [fieldErrors.invalid(path, value, `should be less than or equal to ${largestInt32}`)];
}
