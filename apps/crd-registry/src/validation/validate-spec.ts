import {
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  getOwn,
  type JsonObject,
  type Passes,
  pushAll,
  TypedText,
  validateDns1035Label,
  validateDns1123Subdomain,
} from '@annex/machinery';
import type { CrdVersion } from '../crd/crd.ts';
import { goVersions } from '../crd/go-value.ts';
import type { InternalSpec } from '../crd/internal-form.ts';
import { anySchemaOf } from './schema-parts.ts';
import { type ConversionRules, validateConversion } from './validate-conversion.ts';
import { validateNames } from './validate-names.ts';
import { validateParts, validateSchemaPart, validateVersion, type VersionRules } from './validate-version.ts';

const { forbidden, invalid, notSupported, required } = fieldErrors;

export interface SpecRules extends VersionRules {
  conversion: ConversionRules;
  /** Every version must have a schema. */
  schemas: boolean;
}

const spec = FieldPath.of('spec');

/** Returns all errors of a `spec` in its internal form. */
export function* validateSpec(internal: InternalSpec, provided: SpecRules): Passes<FieldError[]> {
  const structural = provided.structural || (yield* needsStructure(internal, provided));
  const rules = { ...provided, structural };
  return [
    ...validateGroup(internal.group),
    ...validateScope(internal.scope),
    ...validatePresentSchemas(internal, rules),
    ...(yield* validateDefaults(internal, rules)),
    ...(yield* validateVersions(internal, rules)),
    ...validateVersionField(internal),
    ...requiredNames(internal),
    ...validateNames(internal.names, spec.child('names')),
    ...(yield* validateShared(internal, rules)),
    ...validatePreservingConversion(internal),
    ...validateConversion(internal.conversion, rules.conversion, spec.child('conversion')),
  ];
}

/** True if schemas must be structural: pruning, defaults and extensions require it. */
function* needsStructure(internal: InternalSpec, { noDefaults }: SpecRules): Passes<boolean> {
  if (!internal.preserveUnknownFields) return true;
  const needs = (schema: JsonObject): boolean =>
    (noDefaults === undefined && schema.default !== undefined) || hasExtension(schema);
  return yield* anySchemaOf(internal, needs);
}

const lists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'];
const pointers = ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-list-type'];
const flags = ['x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'];

const hasExtension = (schema: JsonObject): boolean =>
  [...lists, ...pointers, ...flags].some((extension) => getOwn(schema, extension) !== undefined);

function validateGroup(group: string): FieldError[] {
  const path = spec.child('group');
  if (group === '') return [required(path)];
  const errors = validateDns1123Subdomain(group);
  if (errors.length > 0) return [invalid(path, group, errors.join(','))];
  return group.includes('.') ? [] : [invalid(path, group, 'should be a domain with at least one dot')];
}

function validateScope(scope: string): FieldError[] {
  const path = spec.child('scope');
  if (scope === '') return [required(path)];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(scope) ? [] : [notSupported(path, scope, scopes)];
}

function validatePresentSchemas(internal: InternalSpec, rules: SpecRules): FieldError[] {
  if (internal.validation?.openAPIV3Schema !== undefined) return [];
  if (!rules.schemas && internal.preserveUnknownFields) return [];
  return (internal.versions ?? []).flatMap((version, i) => {
    if (version.schema?.openAPIV3Schema !== undefined || !(rules.schemas || version.served)) return [];
    const detail = rules.schemas ? '' : 'because otherwise all fields are pruned';
    return [required(spec.child('versions').index(i).child('schema', 'openAPIV3Schema'), detail)];
  });
}

function* validateDefaults(internal: InternalSpec, { noDefaults }: SpecRules): Passes<FieldError[]> {
  if (!internal.preserveUnknownFields || noDefaults !== undefined) return [];
  const hasDefault = yield* anySchemaOf(internal, (schema) => schema.default !== undefined);
  const detail = 'must be false in order to use defaults in the schema';
  return hasDefault ? [invalid(spec.child('preserveUnknownFields'), true, detail)] : [];
}

function* validateVersions(internal: InternalSpec, rules: SpecRules): Passes<FieldError[]> {
  const versions = internal.versions ?? [];
  const path = spec.child('versions');
  const own = versions.some((version) => version.subresources !== undefined);
  const errors: FieldError[] = [];
  for (const [i, version] of versions.entries()) {
    const at = path.index(i);
    const why = validateDns1035Label(version.name);
    const subresources = own ? version.subresources : internal.subresources;
    if (why.length > 0) errors.push(invalid(at.child('name'), version.name, why.join(',')));
    pushAll(errors, yield* validateVersion(version, at, subresources, rules));
  }
  return [...errors, ...repeatedParts(internal), ...versionListErrors(internal.versions, path)];
}

/** Members that may be shared by all versions: they must be set above the versions only. Conversion from v1 satisfies this. */
const shareable = [
  ['schema', 'validation', 'schemas'],
  ['subresources', 'subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns', 'additionalPrinterColumns'],
] as const;

function repeatedParts(internal: InternalSpec): FieldError[] {
  const versions = internal.versions ?? [];
  const errors = shareable
    .filter(([field, above]) => isSet(internal[above]) && versions.some((version) => isSet(version[field])))
    .map(([, above, words]) =>
      forbidden(spec.child(above), `top-level and per-version ${words} are mutually exclusive`),
    );
  for (const [field, above, words] of shareable) {
    const first = versions[0]?.[field];
    if (!isSet(first) || !versions.every((version) => deepEqual(version[field], first))) continue;
    const detail = `per-version ${words} may not all be set to identical values (top-level ${above} should be used instead)`;
    errors.push(invalid(spec.child('versions'), goVersions(versions), detail));
  }
  return errors;
}

const isSet = (value: object | undefined): boolean =>
  value !== undefined && !(Array.isArray(value) && value.length === 0);

function versionListErrors(versions: CrdVersion[] | null, path: FieldPath): FieldError[] {
  const list = versions ?? [];
  const errors: FieldError[] = [];
  if (new Set(list.map((version) => version.name)).size < list.length) {
    errors.push(invalid(path, goVersions(versions), 'must contain unique version names'));
  }
  if (list.filter((version) => version.storage).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    errors.push(invalid(path, goVersions(versions), detail));
  }
  return errors;
}

// The internal form has a `version` field: the name of the first version.
function validateVersionField({ version, versions }: InternalSpec): FieldError[] {
  if (version === '') return [];
  const errors = validateDns1035Label(version);
  const path = spec.child('version');
  const first = versions?.[0]?.name ?? version;
  return [
    ...(errors.length > 0 ? [invalid(path, version, errors.join(','))] : []),
    ...(first === version ? [] : [invalid(path, version, 'must match the first version in spec.versions')]),
  ];
}

function requiredNames({ names }: InternalSpec): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((field) => !names[field])
    .map((field) => required(spec.child('names', field)));
}

function* validateShared(internal: InternalSpec, rules: SpecRules): Passes<FieldError[]> {
  const all = [internal, ...(internal.versions ?? [])];
  const anyStatus = all.some((part) => part.subresources?.status !== undefined);
  const { validation, subresources, additionalPrinterColumns, selectableFields } = internal;
  const parts = { subresources, additionalPrinterColumns, selectableFields, schema: validation };
  const ofAll = { name: internal.version, ...(validation ? { schema: validation } : {}) };
  const present = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  return [
    ...(yield* validateSchemaPart(ofAll, spec.child('validation'), anyStatus, rules)),
    ...validateParts(present, spec, undefined, rules),
  ];
}

function validatePreservingConversion({ conversion, preserveUnknownFields }: InternalSpec): FieldError[] {
  if (!preserveUnknownFields || conversion === undefined || conversion.strategy === 'None') return [];
  const path = spec.child('conversion', 'strategy');
  return [
    invalid(path, new TypedText(conversion.strategy), 'must be None if spec.preserveUnknownFields is true'),
  ];
}
