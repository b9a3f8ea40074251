import { printFloat } from './go/float.ts';
import { escapedJson } from './go/json.ts';
import { goQuote } from './go/quote.ts';

/**
 * A path to a field, formatted as in kube-apiserver: `spec.versions[0].name`, `metadata.labels[app]`.
 * Immutable.
 */
export class FieldPath {
  static readonly root = new FieldPath(undefined, '');
  private readonly parent: FieldPath | undefined;
  private readonly segment: string;

  private constructor(parent: FieldPath | undefined, segment: string) {
    this.parent = parent;
    this.segment = segment;
  }

  /** Returns the path of these names from the root: `FieldPath.of('spec', 'names')`. */
  static of(...names: string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  child(...names: string[]): FieldPath {
    return names.reduce<FieldPath>((path, name) => new FieldPath(path, name), this);
  }

  index(index: number): FieldPath {
    return new FieldPath(this, `[${index}]`);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`);
  }

  /** Returns the text of the path; empty for the root. */
  toString(): string {
    if (this.parent === undefined) return '';
    const above = this.parent.toString();
    return above === '' || this.segment.startsWith('[') ? above + this.segment : `${above}.${this.segment}`;
  }
}

/** The types of field errors, with kube-apiserver's texts and the `reason` of their cause in a Status. */
const fieldErrorTypes = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  InternalError: 'Internal error',
  FieldValueTypeInvalid: 'Invalid value',
} as const;

export type FieldErrorType = keyof typeof fieldErrorTypes;

/** Replaces a bad value that must not be shown. */
export const omittedValue = Symbol('omitted');

/**
 * A text that Go stores as a pointer or as a separate type: it is quoted as in JSON, other texts as in Go.
 */
export class TypedText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An error of one field. `badValue` is absent from the text if the type does not print it. */
export interface FieldError {
  type: FieldErrorType;
  field: string;
  badValue?: unknown;
  detail: string;
}

type At = FieldPath | string;
const make = (type: FieldErrorType, at: At, badValue: unknown, detail: string): FieldError => ({
  type,
  field: typeof at === 'string' ? at : at.toString(),
  badValue,
  detail,
});

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** Constructors for each type, like `field.Invalid` in apimachinery. */
export const fieldErrors = {
  notFound: (at: At, value: unknown) => make('FieldValueNotFound', at, value, ''),
  required: (at: At, detail = '') => make('FieldValueRequired', at, '', detail),
  duplicate: (at: At, value: unknown) => make('FieldValueDuplicate', at, value, ''),
  invalid: (at: At, value: unknown, detail: string) => make('FieldValueInvalid', at, value, detail),
  typeInvalid: (at: At, value: unknown, detail: string) => make('FieldValueTypeInvalid', at, value, detail),
  notSupported: (at: At, value: unknown, supported: readonly string[]) =>
    make(
      'FieldValueNotSupported',
      at,
      value,
      supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
    ),
  forbidden: (at: At, detail: string) => make('FieldValueForbidden', at, '', detail),
  tooLong: (at: At, _value: unknown, maxLength: number) =>
    make(
      'FieldValueTooLong',
      at,
      '',
      maxLength >= 0 ? `may not be more than ${counted(maxLength, 'byte')}` : 'value is too long',
    ),
  tooMany: (at: At, actual: number, max: number) =>
    make(
      'FieldValueTooMany',
      at,
      actual,
      max >= 0 ? `must have at most ${counted(max, 'item')}` : 'has too many items',
    ),
  internal: (at: At, detail: string) => make('InternalError', at, undefined, detail),
};

const valueless = new Set<FieldErrorType>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
]);

/** The text of an error, split as in a Status. */
interface FieldErrorParts {
  /** The field; `<nil>` for the whole object. */
  readonly field: string;
  /** The text without the field: `Invalid value: "x": must be …`, as in `details.causes[].message`. */
  readonly body: string;
}

function partsOf(error: FieldError, print: (value: unknown) => string): FieldErrorParts {
  const words = fieldErrorTypes[error.type];
  const hidden = valueless.has(error.type) || error.badValue === omittedValue;
  const head = hidden ? words : `${words}: ${print(error.badValue)}`;
  return {
    field: error.field === '' ? '<nil>' : error.field,
    body: error.detail === '' ? head : `${head}: ${error.detail}`,
  };
}

const textOf = ({ field, body }: FieldErrorParts): string => `${field}: ${body}`;

/** Returns the whole text: `spec.x: Invalid value: …`, as in a Status message. */
export const fieldErrorText = (error: FieldError): string => textOf(partsOf(error, printValue));

/**
 * The maximum number of reported errors of one object; kube-apiserver has no limit. A body of 3 MiB can
 * contain a million empty items, whose errors would fill the memory and a response of hundreds of megabytes.
 */
export const maxFieldErrors = 1000;

/** The maximum characters of the errors of one object: each error may quote a value as large as the body. */
export const maxFieldErrorsLength = 1024 * 1024;

/** The errors of one object in the form of a Status. */
export interface FieldErrorsReport {
  /** One text: each error once, in brackets if there is more than one. */
  readonly message: string;
  readonly causes: readonly { reason: FieldErrorType; message: string; field: string }[];
}

/**
 * Creates the report of at most {@link maxFieldErrors} errors and {@link maxFieldErrorsLength} characters. A
 * value that many errors quote is formatted once: it can be as large as the body.
 */
export function reportFieldErrors(errors: readonly FieldError[]): FieldErrorsReport {
  const print = printOnce();
  const causes: { reason: FieldErrorType; message: string; field: string }[] = [];
  const texts = new Set<string>();
  let length = 0;
  for (const error of errors) {
    if (causes.length === maxFieldErrors || length > maxFieldErrorsLength) break;
    const parts = partsOf(error, print);
    causes.push({ reason: error.type, message: parts.body, field: parts.field });
    const text = textOf(parts);
    texts.add(text);
    length += text.length;
  }
  if (causes.length < errors.length) texts.add('and more errors, which are not reported');
  const message = [...texts].join(', ');
  return { message: texts.size === 1 ? message : `[${message}]`, causes };
}

/** Returns several errors as one text; see {@link reportFieldErrors}. */
export const fieldErrorsText = (errors: readonly FieldError[]): string => reportFieldErrors(errors).message;

/** Returns a function that formats each object or list once. */
function printOnce(): (value: unknown) => string {
  const printed = new Map<unknown, string>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return printValue(value);
    let text = printed.get(value);
    if (text === undefined) printed.set(value, (text = printValue(value)));
    return text;
  };
}

// Formats a value like Go: nil as "null", strings quoted (%q), objects and arrays as compact JSON.
function printValue(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return goQuote(value);
  // Larger integers are bigints.
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return printFloat(value);
  return escapedJson(value instanceof TypedText ? value.text : value);
}
