import { type FieldError, fieldErrors, FieldPath, type Passes, TypedText } from '@annex/machinery';
import { validateApproval } from '../crd/api-approval.ts';
import { type Crd, isTrue } from '../crd/crd.ts';
import { type VersionRequirements, requirementsOfV1, ratchetedRules } from './version-requirements.ts';
import type { InternalCrd } from '../crd/internal-form.ts';
import { validateNames } from './validate-names.ts';
import { validateSpec } from './validate-spec.ts';

const { invalid } = fieldErrors;
const status = FieldPath.of('status');

/** Checks that the name of a CRD matches its plural and group; its syntax is validated with the metadata. */
function nameErrors({ metadata, spec }: InternalCrd): FieldError[] {
  const expected = `${spec.names.plural}.${spec.group}`;
  return (['generateName', 'name'] as const)
    .filter((field) => metadata[field] && metadata[field] !== expected)
    .map((field) =>
      invalid(FieldPath.of('metadata', field), metadata[field], 'must be spec.names.plural+"."+spec.group'),
    );
}

/** Returns the errors of a new CRD, except for those of its metadata. */
export function* validateCrd(
  crd: InternalCrd,
  requirements: VersionRequirements = requirementsOfV1,
): Passes<FieldError[]> {
  return [
    ...nameErrors(crd),
    ...(yield* validateSpec(crd.spec, requirements.rules)),
    ...validateRest(crd, undefined, requirements),
  ];
}

/** Returns the errors of a changed CRD, without those that the stored CRD already has. */
export function* validateCrdUpdate(
  crd: InternalCrd,
  old: InternalCrd,
  requirements: VersionRequirements = requirementsOfV1,
): Passes<FieldError[]> {
  const rules = yield* ratchetedRules(requirements.rules, crd, old);
  return [
    ...(yield* validateSpec(crd.spec, rules)),
    ...immutableErrors(crd, old),
    ...validateRest(crd, old, requirements),
  ];
}

/** Returns the errors of a write to `status`. */
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

/** Checks that `status.storedVersions` contains only versions of the spec, and the storage version. */
function validateStoredVersions(crd: InternalCrd): FieldError[] {
  const path = status.child('storedVersions');
  const stored = crd.status.storedVersions ?? [];
  if (stored.length === 0)
    return [invalid(path, crd.status.storedVersions, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  // A duplicate name is reported once.
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
