import {
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  type JsonObject,
  TypedText,
} from '@annex/machinery';
import { hasUnprunedDefaults, isStructural } from '@annex/schema';
import { validateApproval } from './api-approval.ts';
import { hasBadCaBundle } from './ca-bundle.ts';
import { type Crd, isTrue, versionsOf } from './crd.ts';
import { type InternalSpec, internalForm, schemasOf } from './internal-form.ts';
import { anySchema } from './schema-parts.ts';
import { reviewVersions } from './validate-conversion.ts';
import { nonAtomicSetItem, presentKeys } from './validate-list-type.ts';
import { validateNames } from './validate-names.ts';
import { maxSelectableFields } from './validate-selectable-fields.ts';
import { type SpecRules, validateSpec } from './validate-spec.ts';

const { invalid } = fieldErrors;
const status = FieldPath.of('status');

/** The name of a CRD repeats the names inside; its syntax is checked with the rest of its metadata. */
function nameErrors({ metadata, spec }: Crd): FieldError[] {
  const expected = `${spec.names.plural}.${spec.group}`;
  return (['generateName', 'name'] as const)
    .filter((field) => metadata[field] && metadata[field] !== expected)
    .map((field) =>
      invalid(FieldPath.of('metadata', field), metadata[field], 'must be spec.names.plural+"."+spec.group'),
    );
}

/** All errors of a new CRD, apart from those that any object's metadata can have. */
export function validateCrd(crd: Crd): FieldError[] {
  return [
    ...nameErrors(crd),
    ...validateSpec(internalForm(crd.spec), strictRules),
    ...validateRest(crd, undefined),
  ];
}

/** All errors of a changed CRD. What the stored one breaks already is let through. */
export function validateCrdUpdate(crd: Crd, old: Crd): FieldError[] {
  const rules = lenientRules(internalForm(old.spec), crd, old);
  return [
    ...validateSpec(internalForm(crd.spec), rules),
    ...immutableErrors(crd, old),
    ...validateRest(crd, old),
  ];
}

/** Errors of a write to `status`. */
export const validateCrdStatus = (crd: Crd): FieldError[] =>
  validateNames(crd.status.acceptedNames, status.child('acceptedNames'));

function validateRest(crd: Crd, old: Crd | undefined): FieldError[] {
  return [
    ...validateCrdStatus(crd),
    ...validateStoredVersions(crd),
    ...validateApproval(crd, old),
    ...validatePreserving(crd, old),
  ];
}

const strictRules: SpecRules = {
  schemas: true,
  structural: true,
  prunedDefaults: true,
  knownTypes: true,
  atomicSetItems: true,
  requiredMapKeys: true,
  manySelectableFields: new Set(),
  unchangedSchemas: new Set(),
  conversion: { knownReviewVersion: true, anyCaBundle: true },
};

function lenientRules(internal: InternalSpec, crd: Crd, old: Crd): SpecRules {
  const schemas = schemasOf(internal);
  const some = (predicate: (schema: JsonObject) => boolean): boolean =>
    schemas.some((schema) => anySchema(schema, predicate));
  const everyVersion = versionsOf(old).every((version) => version.schema?.openAPIV3Schema !== undefined);
  const reviews = internal.conversion?.conversionReviewVersions ?? [];
  return {
    schemas: everyVersion,
    structural: schemas.every(isStructural),
    prunedDefaults: !schemas.some(hasUnprunedDefaults),
    knownTypes: !some((schema) => schema.type !== undefined && !knownType.has(String(schema.type))),
    atomicSetItems: !some((schema) => nonAtomicSetItem(schema, FieldPath.root).length > 0),
    requiredMapKeys: !some((schema) => presentKeys(schema, FieldPath.root).length > 0),
    manySelectableFields: unchangedManySelectableFields(crd, old),
    unchangedSchemas: unchangedSchemas(crd, old),
    conversion: {
      knownReviewVersion: reviews.length === 0 || reviews.some((version) => reviewVersions.includes(version)),
      anyCaBundle: !isTrue(old, 'Established') || hasBadCaBundle(old),
    },
  };
}

const knownType = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

function unchangedManySelectableFields(crd: Crd, old: Crd): Set<string> {
  const kept = versionsOf(crd).filter(({ name, selectableFields }) => {
    const before = versionsOf(old).find((version) => version.name === name)?.selectableFields ?? [];
    return before.length > maxSelectableFields && deepEqual(before, selectableFields);
  });
  const all = kept.length > 0 && kept.length === versionsOf(crd).length;
  return new Set([...kept.map((version) => version.name), ...(all ? [''] : [])]);
}

function unchangedSchemas(crd: Crd, old: Crd): Set<string> {
  const before = new Map(versionsOf(old).map(({ name, schema }) => [name, schema]));
  const kept = versionsOf(crd).filter(
    ({ name, schema }) => before.has(name) && deepEqual(schema, before.get(name)),
  );
  return new Set(kept.map(({ name }) => name));
}

function immutableErrors(crd: Crd, old: Crd): FieldError[] {
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
function validateStoredVersions(crd: Crd): FieldError[] {
  const path = status.child('storedVersions');
  const stored = crd.status.storedVersions ?? [];
  if (stored.length === 0)
    return [invalid(path, crd.status.storedVersions, 'must have at least one stored version')];
  const errors = versionsOf(crd)
    .filter((version) => version.storage && !stored.includes(version.name))
    .map((version) => invalid(path, stored, `must have the storage version ${version.name}`));
  const known = new Set(versionsOf(crd).map((version) => version.name));
  const last = new Map(stored.map((name, i) => [name, i]));
  for (const [name, i] of last) {
    if (!known.has(name)) errors.push(invalid(path.index(i), name, stillStored(name)));
  }
  return errors;
}

const stillStored = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

function validatePreserving(crd: Crd, old: Crd | undefined): FieldError[] {
  if (!crd.spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalid(FieldPath.of('spec', 'preserveUnknownFields'), true, detail)];
}
