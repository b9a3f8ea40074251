import {
  type FieldError,
  FieldPath,
  type MetaRules,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  type ObjectMeta,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateStandardFinalizers,
} from '@annex/machinery';
import type { MetaChecks } from '@annex/kinds';
import type { WriteContext } from './context.ts';

const once: MetaChecks = { asUpdate: 0, asWhole: 0, standardFinalizers: false };
const finalizersPath = FieldPath.of('metadata', 'finalizers');

/**
 * Returns all errors in the metadata of a write. kube-apiserver validates the metadata of every update, and
 * again in the validation of most kinds. Each of these checks contributes its own causes to the response.
 */
export function metaErrors({ kind, object, current, subresource }: WriteContext): FieldError[] {
  const { metadata } = object;
  const { strategy, namespaced } = kind;
  const checks = (subresource?.spec ?? strategy).metaChecks ?? once;
  if (current === undefined) {
    const nameCheck = strategy.validateName ?? nameIsDnsSubdomain;
    return [...whole(metadata, { namespaced, nameCheck }), ...standard(metadata, checks, 1)];
  }
  const { asUpdate, asWhole } = checks;
  const old = current.object.metadata;
  const asAWhole = whole(metadata, { namespaced, nameCheck: nameIsPathSegment });
  const update = validateObjectMetaUpdate(metadata, old);
  return [
    ...times(asWhole + 1, asAWhole),
    ...times(asUpdate + 1, update),
    ...standard(metadata, checks, asUpdate + asWhole),
  ];
}

const whole = (metadata: ObjectMeta, rules: MetaRules) => validateObjectMeta(metadata, rules);

const standard = (metadata: ObjectMeta, { standardFinalizers }: MetaChecks, count: number): FieldError[] =>
  standardFinalizers && metadata.finalizers
    ? times(count, validateStandardFinalizers(metadata.finalizers, finalizersPath))
    : [];

const times = (count: number, errors: readonly FieldError[]): FieldError[] =>
  errors.length === 0 ? [] : Array.from({ length: count }, () => errors).flat();
