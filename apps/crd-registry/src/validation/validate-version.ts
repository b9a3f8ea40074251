import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type Passes,
  TypedText,
} from '@annex/machinery';
import { structuralErrors, structuralSchemaError } from '@annex/schema';
import type { CrdSubresources, CrdVersion } from '../crd/crd.ts';
import { withEmptyFields } from '../crd/go-shape.ts';
import { deprecationErrors } from '../crd/deprecation.ts';
import { rootWithStatusErrors } from './root-with-status.ts';
import { validateColumn } from './validate-columns.ts';
import { RuleContext } from './rule-context.ts';
import { type SchemaRules, validateSchema } from './validate-schema.ts';
import { validateSelectableFields } from './validate-selectable-fields.ts';
import { validateSubresources } from './validate-subresources.ts';

const { forbidden, invalid } = fieldErrors;

/** Errors that an update may keep because the stored CRD already has them. */
export interface VersionRules extends SchemaRules {
  structural: boolean;
  prunedDefaults: boolean;
  /** Versions that may exceed the limit of selectable fields; `''` is the shared part. */
  manySelectableFields: ReadonlySet<string>;
  /** Versions with an unchanged schema: their rules may keep their cost. */
  unchangedSchemas: ReadonlySet<string>;
}

type Parts = Pick<CrdVersion, 'subresources' | 'additionalPrinterColumns' | 'selectableFields'> & {
  schema?: { openAPIV3Schema?: JsonObject };
};

/** Validates the members of one of `spec.versions` that are not shared. */
export function* validateVersion(
  version: CrdVersion,
  path: FieldPath,
  subresources: CrdSubresources | undefined,
  rules: VersionRules,
): Passes<FieldError[]> {
  const { deprecationWarning } = version;
  return [
    ...deprecationErrors(version).map((error) =>
      invalid(path.child('deprecationWarning'), new TypedText(deprecationWarning ?? ''), error),
    ),
    ...(yield* validateSchemaPart(version, path.child('schema'), subresources?.status !== undefined, rules)),
    ...validateParts(version, path, version.name, rules),
  ];
}

/** Validates subresources, columns and selectable fields of a version, or the shared ones. */
export function validateParts(
  parts: Parts,
  path: FieldPath,
  version: string | undefined,
  rules: VersionRules,
): FieldError[] {
  return [
    ...validateSubresources(parts.subresources, path.child('subresources')),
    ...(parts.additionalPrinterColumns ?? []).flatMap((column, i) =>
      validateColumn(column, path.child('additionalPrinterColumns').index(i)),
    ),
    ...selectableFieldsOf(parts, path, version, rules),
  ];
}

function selectableFieldsOf(
  parts: Parts,
  at: FieldPath,
  version: string | undefined,
  rules: VersionRules,
): FieldError[] {
  const { selectableFields = [], schema } = parts;
  const path = at.child('selectableFields');
  if (selectableFields.length === 0) return [];
  if (schema?.openAPIV3Schema === undefined) {
    const detail =
      version === undefined
        ? 'may only be set when validations.schema is included'
        : 'may only be set when `version.schema.openAPIV3Schema` is not included';
    return [invalid(path, '', detail)];
  }
  const many = rules.manySelectableFields.has(version ?? '');
  const unreadable = structuralSchemaError(schema.openAPIV3Schema);
  return [
    ...(unreadable === undefined ? [] : [invalid(at.child('schema.openAPIV3Schema'), '', unreadable)]),
    ...validateSelectableFields(selectableFields, schema.openAPIV3Schema, path, many),
  ];
}

// Empty members of the request also restrict metadata.
function withMetadataAsSent(schema: JsonObject): JsonObject {
  const { properties } = schema;
  const metadata = isObject(properties) ? properties.metadata : undefined;
  if (!isObject(properties) || !isObject(metadata)) return schema;
  return { ...schema, properties: { ...properties, metadata: withEmptyFields(metadata) } };
}

/** Validates the schema of a version, or the shared schema, whose errors name the first version. */
export function* validateSchemaPart(
  { name, schema: part }: Pick<CrdVersion, 'name' | 'schema'>,
  path: FieldPath,
  statusEnabled: boolean,
  rules: VersionRules,
): Passes<FieldError[]> {
  const schema = part?.openAPIV3Schema;
  if (schema === undefined) return [];
  const at = path.child('openAPIV3Schema');
  const errors = statusEnabled ? rootWithStatusErrors(schema, at) : [];
  if (schema.nullable) errors.push(forbidden(at.child('nullable'), 'nullable cannot be true at the root'));
  yield;
  const structural = rules.structural ? yield* structuralErrors(withMetadataAsSent(schema), at, rules) : [];
  yield;
  const context =
    rules.structural && structural.length === 0
      ? RuleContext.root(schema, !rules.unchangedSchemas.has(name))
      : undefined;
  const others = yield* validateSchema(schema, at, rules, context);
  yield;
  // Most members that structural schemas forbid have an error at their own path already.
  if (errors.length + others.length > 0 && structuralSchemaError(schema) !== undefined)
    return [...errors, ...others];
  return [...errors, ...structural, ...others];
}
