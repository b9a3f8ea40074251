import { utf8Length } from './utf8.ts';

/** Validates a string and returns kube-apiserver's messages; empty if it is valid. */
export type Check = (value: string) => string[];

const tooLong = (length: number, unit: 'characters' | 'bytes') => `must be no more than ${length} ${unit}`;
const nonEmpty = 'must be non-empty';

/** Formats kube-apiserver's message for a value that does not match a pattern, with examples. */
export function regexError(message: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  const list = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${list}regex used for validation is '${pattern}')`;
}

const labelPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const dns1035Pattern = '[a-z]([-a-z0-9]*[a-z0-9])?';
const namePartPattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValuePattern = `(${namePartPattern})?`;
const wildcardPattern = `\\*\\.${subdomainPattern}`;

/** Values up to this length that match a pattern are valid: characters of the patterns have one byte each. */
const shortLength = 63;

const patterns = {
  qualifiedName: new RegExp(`^(?:${subdomainPattern}/)?${namePartPattern}$`),
  label: new RegExp(`^${labelPattern}$`),
  subdomain: new RegExp(`^${subdomainPattern}$`),
  dns1035: new RegExp(`^${dns1035Pattern}$`),
  namePart: new RegExp(`^${namePartPattern}$`),
  labelValue: new RegExp(`^${labelValuePattern}$`),
  wildcard: new RegExp(`^${wildcardPattern}$`),
  configMapKey: /^[-._a-zA-Z0-9]+$/,
  envVar: /^[-._a-zA-Z][-._a-zA-Z0-9]*$/,
  cIdentifier: /^[A-Za-z_][A-Za-z0-9_]*$/,
  percent: /^[0-9]+%$/,
  headerName: /^[-A-Za-z0-9]+$/,
};

const subdomainPatternError = regexError(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomainPattern,
  'example.com',
);
const namePartPatternError = regexError(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  namePartPattern,
  'MyName',
  'my.name',
  '123-abc',
);

/** A DNS label of RFC 1123: at most 63 of `a-z0-9-`. */
export function validateDns1123Label(value: string): string[] {
  const errors = value.length > 63 ? [tooLong(63, 'characters')] : [];
  if (patterns.label.test(value)) return errors;
  if (patterns.subdomain.test(value)) return [...errors, 'must not contain dots'];
  return [
    ...errors,
    regexError(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      labelPattern,
      'my-name',
      '123-abc',
    ),
  ];
}

/** A DNS subdomain of RFC 1123: labels joined by dots, at most 253 characters. */
export const validateDns1123Subdomain: Check = (value) => subdomainErrors(value, 'characters');

function subdomainErrors(value: string, unit: 'characters' | 'bytes'): string[] {
  const errors = utf8Length(value) > 253 ? [tooLong(253, unit)] : [];
  if (!patterns.subdomain.test(value)) errors.push(subdomainPatternError);
  return errors;
}

/** A DNS subdomain after `*.`. */
export function validateWildcardDns1123Subdomain(value: string): string[] {
  const errors = utf8Length(value) > 253 ? [tooLong(253, 'characters')] : [];
  if (!patterns.wildcard.test(value)) {
    errors.push(
      regexError(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        wildcardPattern,
        '*.example.com',
      ),
    );
  }
  return errors;
}

/** A label of RFC 1035: like RFC 1123, but it starts with a letter. Names of Services and resources. */
export function validateDns1035Label(value: string): string[] {
  const errors = utf8Length(value) > 63 ? [tooLong(63, 'characters')] : [];
  if (!patterns.dns1035.test(value)) {
    errors.push(
      regexError(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        dns1035Pattern,
        'my-name',
        'abc-123',
      ),
    );
  }
  return errors;
}

/** A label key, also called a qualified name: `[prefix/]name`. */
export function validateQualifiedName(value: string): string[] {
  if (value.length <= shortLength && patterns.qualifiedName.test(value)) return [];
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${namePartPatternError} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const errors = parts.length === 2 ? prefixErrors(parts[0] ?? '') : [];
  if (name === '') errors.push(`name part ${nonEmpty}`);
  else if (utf8Length(name) > 63) errors.push(`name part ${tooLong(63, 'bytes')}`);
  if (!patterns.namePart.test(name)) errors.push(`name part ${namePartPatternError}`);
  return errors;
}

function prefixErrors(prefix: string): string[] {
  if (prefix === '') return [`prefix part ${nonEmpty}`];
  return subdomainErrors(prefix, 'bytes').map((error) => `prefix part ${error}`);
}

/** A label value: empty or at most 63 bytes of letters, digits, `-`, `_` and `.`. */
export function validateLabelValue(value: string): string[] {
  if (value.length <= shortLength && patterns.labelValue.test(value)) return [];
  const errors = utf8Length(value) > 63 ? [tooLong(63, 'bytes')] : [];
  if (!patterns.labelValue.test(value)) {
    errors.push(
      regexError(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        labelValuePattern,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return errors;
}

/** A name that is valid as one segment of a URL path. */
export function validatePathSegmentName(value: string): string[] {
  return value === '.' || value === '..' ? [`may not be '${value}'`] : validatePathSegmentPrefix(value);
}

/** The prefix of a path segment name; a suffix is appended to it. */
export function validatePathSegmentPrefix(value: string): string[] {
  return ['/', '%'].filter((part) => value.includes(part)).map((part) => `may not contain '${part}'`);
}

/** A key of a ConfigMap or Secret. */
export function validateConfigMapKey(value: string): string[] {
  if (value.length <= shortLength && value[0] !== '.' && patterns.configMapKey.test(value)) return [];
  const errors = utf8Length(value) > 253 ? [tooLong(253, 'characters')] : [];
  if (!patterns.configMapKey.test(value)) {
    errors.push(
      regexError(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        '[-._a-zA-Z0-9]+',
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  }
  return [...errors, ...changesFolder(value)];
}

function changesFolder(value: string): string[] {
  if (value === '.' || value === '..') return [`must not be '${value}'`];
  return value.startsWith('..') ? ["must not start with '..'"] : [];
}

/** An identifier of the C language. */
export function validateCIdentifier(value: string): string[] {
  if (patterns.cIdentifier.test(value)) return [];
  return [
    regexError(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
      '[A-Za-z_][A-Za-z0-9_]*',
      'my_name',
      'MY_NAME',
      'MyName',
    ),
  ];
}

/** The name of an HTTP header. */
export function validateHttpHeaderName(value: string): string[] {
  if (patterns.headerName.test(value)) return [];
  return [
    regexError(
      "a valid HTTP header must consist of alphanumeric characters or '-'",
      '[-A-Za-z0-9]+',
      'X-Header-Name',
    ),
  ];
}

/** An integer percentage: `25%`. */
export function validatePercent(value: string): string[] {
  if (patterns.percent.test(value)) return [];
  return [
    regexError(
      "a valid percent string must be a numeric string followed by an ending '%'",
      '[0-9]+%',
      '1%',
      '93%',
    ),
  ];
}

/** The name of an environment variable: any printable ASCII except `=`. */
export function validateEnvVarName(value: string): string[] {
  const errors = value === '' ? [`environment variable name ${nonEmpty}`] : [];
  if (!/^[\x20-\x3c\x3e-\x7e]*$/.test(value)) {
    errors.push(
      "a valid environment variable name must consist only of printable ASCII characters other than '='",
    );
  }
  return errors;
}

/** The name of a port: at most 15 lower case letters, digits and single hyphens. */
export function validatePortName(value: string): string[] {
  const errors = [];
  if (utf8Length(value) > 15) errors.push(tooLong(15, 'characters'));
  if (!/^[-a-z0-9]+$/.test(value)) {
    errors.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) errors.push('must contain at least one letter (a-z)');
  if (value.includes('--')) errors.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) errors.push('must not begin or end with a hyphen');
  return errors;
}

/** A TCP or UDP port number. */
export function validatePortNumber(value: number): string[] {
  return value >= 1 && value <= 65535 ? [] : ['must be between 1 and 65535, inclusive'];
}

/**
 * Validates `metadata.name`, or `metadata.generateName` if `prefix` is true. Built-in kinds and custom
 * resources each have one.
 */
export type NameCheck = (name: string, prefix: boolean) => string[];

// kube-apiserver drops the character before the dash too; the result is only validated, never used as a name.
const maskTrailingDash = (name: string) =>
  name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name;

const nameCheck =
  (check: Check): NameCheck =>
  (name, prefix) =>
    check(prefix ? maskTrailingDash(name) : name);

/** Names that are DNS subdomains: most kinds. */
export const nameIsDnsSubdomain: NameCheck = nameCheck(validateDns1123Subdomain);
/** The same names where kube-apiserver counts bytes, and does not check prefixes: ReplicationControllers and DeviceClasses. */
export const nameIsLongName: NameCheck = (name, prefix) => (prefix ? [] : subdomainErrors(name, 'bytes'));
/** Names that are DNS labels of RFC 1123: Namespaces. */
export const nameIsDnsLabel: NameCheck = nameCheck(validateDns1123Label);
/** Names that are DNS labels of RFC 1035: Services. */
export const nameIsDns1035Label: NameCheck = nameCheck(validateDns1035Label);
/** Names that are any path segment: RBAC kinds. */
export const nameIsPathSegment: NameCheck = (name, prefix) =>
  prefix ? validatePathSegmentPrefix(name) : validatePathSegmentName(name);
