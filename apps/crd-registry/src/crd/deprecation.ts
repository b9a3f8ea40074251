import { compareApiVersions } from '@annex/machinery';
import { type Crd, type CrdVersion, versionsOf } from './crd.ts';

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** Returns the validation errors of `deprecationWarning`. */
export function deprecationErrors(version: Pick<CrdVersion, 'deprecated' | 'deprecationWarning'>): string[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  if (!version.deprecated) return ['can only be set for deprecated versions'];
  const errors: string[] = [];
  if (Buffer.byteLength(warning) > 256) errors.push('must be <= 256 characters long');
  if (warning === '') errors.push('must not be an empty string');
  let at = 0;
  for (const character of warning) {
    if (!printable.test(character)) {
      errors.push(
        `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
      );
      break;
    }
    at += Buffer.byteLength(character);
  }
  return errors;
}

/** Returns the served version of a CRD that deprecation warnings recommend: of those that are not deprecated, the first by priority. */
export function preferredVersion(crd: Crd): string | undefined {
  let preferred: string | undefined;
  for (const { name, served, deprecated } of versionsOf(crd)) {
    if (!served || deprecated) continue;
    if (preferred === undefined || compareApiVersions(name, preferred) < 0) preferred = name;
  }
  return preferred;
}

/** Returns the warning in every response of a deprecated version. */
export function deprecationWarningOf(
  crd: Crd,
  version: CrdVersion,
  preferred: string | undefined,
): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group, names } = crd.spec;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const isBetter = preferred !== undefined && compareApiVersions(preferred, version.name) < 0;
  return isBetter ? `${text}; use ${group}/${preferred} ${names.kind}` : text;
}
