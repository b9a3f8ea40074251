import {
  deepCopy,
  deepEqual,
  type FieldError,
  FieldPath,
  fieldErrors,
  fieldErrorText,
  type Passes,
  pushAll,
} from '@annex/machinery';
import { structuralSchemaError, structuralViolations } from '@annex/schema';
import { approvalOf, type ApprovalState, isProtectedGroup } from '../crd/api-approval.ts';
import { hasBadCaBundle } from '../crd/ca-bundle.ts';
import { conditionOf, type Crd, isTrue, versionsOf } from '../crd/crd.ts';
import { acceptNames, establishedAfter, type TakenNames } from './accepted-names.ts';
import { type NewCondition, removeCondition, setCondition } from './conditions.ts';

/**
 * Returns the CRD with the status that follows from its spec, its annotations and the names of the other CRDs in its group; `undefined` if
 * the status is up to date. Every replica computes the same result. `violations` are those of {@link nonStructural}.
 */
export function withNextStatus(
  crd: Crd,
  taken: () => TakenNames,
  now: number,
  violations: readonly NewCondition[],
): Crd | undefined {
  const changes: NewCondition[] = [];
  const acceptance = acceptNames(crd, taken);
  if (acceptance !== undefined) changes.push(acceptance.accepted);
  // Watches receive a CRD with its names before it is established.
  const established =
    acceptance === undefined ? establishment(crd) : establishedAfter(crd, acceptance.accepted);
  if (established !== undefined) changes.push(established);
  pushAll(changes, violations);
  pushAll(changes, approval(crd));
  const news = changes.filter((condition) => !hasCondition(crd, condition));
  const named = acceptance !== undefined && !deepEqual(acceptance.names, crd.status.acceptedNames);
  const mended = violations.length === 0 && conditionOf(crd, 'NonStructuralSchema') !== undefined;
  if (news.length === 0 && !named && !mended) return undefined;
  const next: Crd = { ...crd, status: deepCopy(crd.status) };
  if (mended) removeCondition(next, 'NonStructuralSchema');
  if (acceptance !== undefined) next.status.acceptedNames = acceptance.names;
  for (const condition of news) setCondition(next, condition, now);
  return next;
}

/** True if the CRD has the same condition. */
function hasCondition(crd: Crd, condition: NewCondition): boolean {
  const existing = conditionOf(crd, condition.type);
  return (
    existing?.status === condition.status &&
    (existing.reason ?? '') === condition.reason &&
    (existing.message ?? '') === condition.message
  );
}

function establishment(crd: Crd): NewCondition | undefined {
  if (!isTrue(crd, 'NamesAccepted') || isTrue(crd, 'Established')) return undefined;
  return hasBadCaBundle(crd) ? badCaBundle : initialNamesAccepted;
}

const badCaBundle: NewCondition = {
  type: 'Established',
  status: 'False',
  reason: 'InvalidCABundle',
  message: 'The conversion webhook CABundle is invalid',
};
const initialNamesAccepted: NewCondition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};

/** Returns why the schemas of a CRD are not structural, which only CRDs that preserve unknown fields allow. */
export function* nonStructural(crd: Crd): Passes<NewCondition[]> {
  // The decision about its names has checked them.
  const known = isTrue(crd, 'NamesAccepted') && conditionOf(crd, 'NonStructuralSchema') === undefined;
  if (known && !crd.spec.preserveUnknownFields) return [];
  for (const { name, schema } of versionsOf(crd)) {
    const why = schema?.openAPIV3Schema && structuralSchemaError(schema.openAPIV3Schema);
    yield;
    if (why === undefined) continue;
    const message = `failed to check validation schema for version ${name}: ${why}`;
    return [{ type: 'NonStructuralSchema', status: 'Unknown', reason: 'StructuralError', message }];
  }
  const errors: FieldError[] = crd.spec.preserveUnknownFields
    ? [fieldErrors.invalid('spec.preserveUnknownFields', true, 'must be false')]
    : [];
  for (const [i, { schema }] of versionsOf(crd).entries()) {
    const path = FieldPath.of('spec', 'versions').index(i).child('schema', 'openAPIV3Schema');
    if (schema?.openAPIV3Schema) pushAll(errors, yield* structuralViolations(schema.openAPIV3Schema, path));
  }
  if (errors.length === 0) return [];
  const texts = [...new Set(errors.map(fieldErrorText))];
  const message = texts.length > 1 ? `[${texts.join(', ')}]` : (texts[0] ?? '');
  return [{ type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message }];
}

const approvals: Record<ApprovalState, [status: 'True' | 'False', reason: string]> = {
  approved: ['True', 'ApprovedAnnotation'],
  bypassed: ['False', 'UnapprovedAnnotation'],
  missing: ['False', 'MissingAnnotation'],
  invalid: ['False', 'InvalidAnnotation'],
};

function approval(crd: Crd): NewCondition[] {
  if (!isProtectedGroup(crd.spec.group)) return [];
  const { state, reason: message } = approvalOf(crd);
  const [status, reason] = approvals[state];
  return [{ type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }];
}
