import { deepEqual, FieldPath, type JsonObject, type Passes } from '@annex/machinery';
import { hasUnprunedDefaults, isStructural } from '@annex/schema';
import { caBundleError } from '../crd/ca-bundle.ts';
import { isTrue } from '../crd/crd.ts';
import { type InternalCrd, type InternalSpec, schemasByVersion, schemasOf } from '../crd/internal-form.ts';
import { anySchemaOf } from './schema-parts.ts';
import { reviewVersions } from './validate-conversion.ts';
import { nonAtomicSetItem, presentKeys } from './validate-list-type.ts';
import { maxSelectableFields } from './validate-selectable-fields.ts';
import type { SpecRules } from './validate-spec.ts';

/** The requirements for a CRD in a version of `apiextensions.k8s.io`. */
export interface VersionRequirements {
  rules: SpecRules;
  /** CRDs of protected groups must have an approval annotation. */
  approval: boolean;
  /** Unknown fields must be pruned. */
  pruning: boolean;
}

export const requirementsOfV1: VersionRequirements = {
  rules: {
    schemas: true,
    structural: true,
    prunedDefaults: true,
    knownTypes: true,
    atomicSetItems: true,
    requiredMapKeys: true,
    manySelectableFields: new Set(),
    unchangedSchemas: new Set(),
    conversion: { knownReviewVersion: true, anyCaBundle: true },
  },
  approval: true,
  pruning: true,
};

/** Relaxes the rules for an update: errors that the stored CRD already has are allowed. */
export function* ratchetedRules(rules: SpecRules, crd: InternalCrd, old: InternalCrd): Passes<SpecRules> {
  const schemas = schemasOf(old.spec);
  const some = (predicate: (schema: JsonObject) => boolean): Passes<boolean> =>
    anySchemaOf(old.spec, predicate);
  const { noDefaults, ...requested } = rules;
  const reviews = old.spec.conversion?.conversionReviewVersions ?? [];
  const keepsNoDefaults =
    noDefaults !== undefined && !(yield* some((schema) => schema.default !== undefined));
  yield;
  let { structural } = rules;
  for (const schema of schemas) structural = structural && (yield* isStructural(schema));
  yield;
  let prunedDefaults = true;
  for (const schema of schemas) prunedDefaults = prunedDefaults && !(yield* hasUnprunedDefaults(schema));
  yield;
  const knownTypes =
    rules.knownTypes && !(yield* some(({ type }) => type !== undefined && !knownType.has(String(type))));
  yield;
  const atomicSetItems = !(yield* some((schema) => nonAtomicSetItem(schema, FieldPath.root).length > 0));
  yield;
  const requiredMapKeys = !(yield* some((schema) => presentKeys(schema, FieldPath.root).length > 0));
  yield;
  return {
    ...requested,
    ...(keepsNoDefaults ? { noDefaults } : {}),
    schemas: rules.schemas && hasEverySchema(old.spec),
    structural,
    prunedDefaults,
    knownTypes,
    atomicSetItems,
    requiredMapKeys,
    manySelectableFields: unchangedManySelectableFields(crd.spec, old.spec),
    unchangedSchemas: unchangedSchemas(crd.spec, old.spec),
    conversion: {
      knownReviewVersion: reviews.length === 0 || reviews.some((version) => reviewVersions.includes(version)),
      anyCaBundle: !isTrue(old, 'Established') || hasBadCaBundle(old.spec),
    },
  };
}

const knownType = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

const hasEverySchema = ({ validation, versions }: InternalSpec): boolean =>
  validation?.openAPIV3Schema !== undefined ||
  (versions ?? []).every(({ schema }) => schema?.openAPIV3Schema !== undefined);

function hasBadCaBundle({ conversion }: InternalSpec): boolean {
  const bundle = conversion?.webhookClientConfig?.caBundle;
  return bundle !== undefined && caBundleError(bundle) !== undefined;
}

/** Returns the versions, and `''` for the shared part, with the same excess of selectable fields as before. */
function unchangedManySelectableFields(spec: InternalSpec, old: InternalSpec): Set<string> {
  const parts = (of: InternalSpec) => [{ ...of, name: '' }, ...(of.versions ?? [])];
  const before = new Map(parts(old).map(({ name, selectableFields }) => [name, selectableFields ?? []]));
  const kept = parts(spec).filter(({ name, selectableFields }) => {
    const fields = before.get(name) ?? [];
    return fields.length > maxSelectableFields && deepEqual(fields, selectableFields);
  });
  return new Set(kept.map(({ name }) => name));
}

function unchangedSchemas(spec: InternalSpec, old: InternalSpec): Set<string> {
  const before = new Set((old.versions ?? []).map(({ name }) => name));
  const [schemaOf, oldSchemaOf] = [schemasByVersion(spec), schemasByVersion(old)];
  const kept = (spec.versions ?? []).filter(
    ({ name }) => before.has(name) && deepEqual(schemaOf(name), oldSchemaOf(name)),
  );
  return new Set(kept.map(({ name }) => name));
}
