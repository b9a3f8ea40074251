import {
  type FieldError,
  fieldErrors,
  FieldPath,
  TypedText,
  validateDns1035Label,
  validateDns1123Subdomain,
} from '@annex/machinery';
import type { CrdVersion } from './crd.ts';
import { goVersions } from './go-value.ts';
import type { InternalSpec } from './internal-form.ts';
import { schemasOf } from './internal-form.ts';
import { anySchema } from './schema-parts.ts';
import { type ConversionRules, validateConversion } from './validate-conversion.ts';
import { validateNames } from './validate-names.ts';
import { validateParts, validateSchemaPart, validateVersion, type VersionRules } from './validate-version.ts';

const { invalid, notSupported, required } = fieldErrors;

export interface SpecRules extends VersionRules {
  conversion: ConversionRules;
  /** Every version has a schema. */
  schemas: boolean;
}

const spec = FieldPath.of('spec');

/** `spec` in its internal form: all errors at once. */
export function validateSpec(internal: InternalSpec, given: SpecRules): FieldError[] {
  // Pruning and defaulting need a structural schema, so only a CRD that preserves unknown fields may go without.
  const rules = { ...given, structural: given.structural || !internal.preserveUnknownFields };
  return [
    ...validateGroup(internal.group),
    ...validateScope(internal.scope),
    ...validatePresentSchemas(internal, rules),
    ...validateDefaults(internal),
    ...validateVersions(internal, rules),
    ...validateVersionField(internal),
    ...requiredNames(internal),
    ...validateNames(internal.names, spec.child('names')),
    ...validateShared(internal, rules),
    ...validatePreservingConversion(internal),
    ...validateConversion(internal.conversion, rules.conversion, spec.child('conversion')),
  ];
}

function validateGroup(group: string): FieldError[] {
  const path = spec.child('group');
  if (group === '') return [required(path)];
  const complaints = validateDns1123Subdomain(group);
  if (complaints.length > 0) return [invalid(path, group, complaints.join(','))];
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

function validateDefaults(internal: InternalSpec): FieldError[] {
  if (!internal.preserveUnknownFields) return [];
  const hasDefault = schemasOf(internal).some((schema) => anySchema(schema, (s) => s.default !== undefined));
  const detail = 'must be false in order to use defaults in the schema';
  return hasDefault ? [invalid(spec.child('preserveUnknownFields'), true, detail)] : [];
}

function validateVersions(internal: InternalSpec, rules: SpecRules): FieldError[] {
  const versions = internal.versions ?? [];
  const path = spec.child('versions');
  const own = versions.some((version) => version.subresources !== undefined);
  const errors = versions.flatMap((version, i) => {
    const at = path.index(i);
    const complaints = validateDns1035Label(version.name);
    const subresources = own ? version.subresources : internal.subresources;
    return [
      ...(complaints.length > 0 ? [invalid(at.child('name'), version.name, complaints.join(','))] : []),
      ...validateVersion(version, at, subresources, rules),
    ];
  });
  return [...errors, ...versionListErrors(internal.versions, path)];
}

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
function validateVersionField({ version }: InternalSpec): FieldError[] {
  const complaints = version === '' ? [] : validateDns1035Label(version);
  return complaints.length > 0 ? [invalid(spec.child('version'), version, complaints.join(','))] : [];
}

function requiredNames({ names }: InternalSpec): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const)
    .filter((field) => !names[field])
    .map((field) => required(spec.child('names', field)));
}

function validateShared(internal: InternalSpec, rules: SpecRules): FieldError[] {
  const all = [internal, ...(internal.versions ?? [])];
  const anyStatus = all.some((part) => part.subresources?.status !== undefined);
  const { validation, subresources, additionalPrinterColumns, selectableFields } = internal;
  const parts = { subresources, additionalPrinterColumns, selectableFields, schema: validation };
  const ofAll = { name: internal.version, ...(validation ? { schema: validation } : {}) };
  const present = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  return [
    ...validateSchemaPart(ofAll, spec.child('validation'), anyStatus, rules),
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
