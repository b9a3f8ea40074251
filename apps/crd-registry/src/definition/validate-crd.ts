import { type FieldError, fieldErrors, FieldPath, TypedText } from '@annex/machinery';
import { validateApproval } from './api-approval.ts';
import { type Crd, isTrue } from './crd.ts';
import { type VersionRequirements, requirementsOfV1, ratchetedRules } from './version-requirements.ts';
import type { InternalCrd } from './internal-form.ts';
import { validateNames } from './validate-names.ts';
import { validateSpec } from './validate-spec.ts';

const { invalid } = fieldErrors;
const status = FieldPath.of('status');

/** The name of a CRD repeats the names inside; its syntax is checked with the rest of its metadata. */
function nameErrors({ metadata, spec }: InternalCrd): FieldError[] {
  const expected = `${spec.names.plural}.${spec.group}`;
  return (['generateName', 'name'] as const)
    .filter((field) => metadata[field] && metadata[field] !== expected)
    .map((field) =>
      invalid(FieldPath.of('metadata', field), metadata[field], 'must be spec.names.plural+"."+spec.group'),
    );
}

/** All errors of a new CRD, apart from those that any object's metadata can have. */
export function validateCrd(
  crd: InternalCrd,
  requirements: VersionRequirements = requirementsOfV1,
): FieldError[] {
  return [
    ...nameErrors(crd),
    ...validateSpec(crd.spec, requirements.rules),
    ...validateRest(crd, undefined, requirements),
  ];
}

/** All errors of a changed CRD. What the stored one breaks already is let through. */
export function validateCrdUpdate(
  crd: InternalCrd,
  old: InternalCrd,
  requirements: VersionRequirements = requirementsOfV1,
): FieldError[] {
  return [
    ...validateSpec(crd.spec, ratchetedRules(requirements.rules, crd, old)),
    ...immutableErrors(crd, old),
    ...validateRest(crd, old, requirements),
  ];
}

/** Errors of a write to `status`. */
export const validateCrdStatus = (crd: Pick<Crd, 'status'>): FieldError[] =>
  validateNames(crd.status.acceptedNames, status.child('acceptedNames'));

function validateRest(
  crd: InternalCrd,
  old: InternalCrd | undefined,
  requirements: VersionRequirements,
): FieldError[] {
  return [
    ...validateCrdStatus(crd),
    ...validateStoredVersions(crd),
    ...(requirements.approval ? validateApproval(crd, old) : []),
    ...(requirements.pruning ? validatePreserving(crd, old) : []),
  ];
}

function immutableErrors(crd: InternalCrd, old: InternalCrd): FieldError[] {
  const checks: [string[], string, string][] = [
    [['group'], crd.spec.group, old.spec.group],
    [['names', 'plural'], crd.spec.names.plural, old.spec.names.plural],
  ];
  if (isTrue(old, 'Established')) {
    checks.unshift(
      [['scope'], crd.spec.scope, old.spec.scope],
      [['names', 'kind'], crd.spec.names.kind, old.spec.names.kind],
    );
  }
  return checks
    .filter(([, now, before]) => now !== before)
    .map(([path, now]) =>
      invalid(
        FieldPath.of('spec', ...path),
        path[0] === 'scope' ? new TypedText(now) : now,
        'field is immutable',
      ),
    );
}

/** `status.storedVersions` names versions of the spec, the storage version among them. */
function validateStoredVersions(crd: InternalCrd): FieldError[] {
  const path = status.child('storedVersions');
  const stored = crd.status.storedVersions ?? [];
  if (stored.length === 0)
    return [invalid(path, crd.status.storedVersions, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  // A name that stands twice is found once only.
  const left = new Map(stored.map((name, i) => [name, i]));
  for (const { name, storage } of crd.spec.versions ?? []) {
    if (!left.delete(name) && storage) {
      errors.push(invalid(path, stored, `must have the storage version ${name}`));
    }
  }
  for (const [name, i] of left) errors.push(invalid(path.index(i), name, stillStored(name)));
  return errors;
}

const stillStored = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

function validatePreserving(crd: InternalCrd, old: InternalCrd | undefined): FieldError[] {
  if (!crd.spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(FieldPath.of('spec', 'preserveUnknownFields'), true, detail)];
}
