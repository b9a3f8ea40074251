import { sortByBytes } from './go/bytes.ts';
import { SelectorError } from './labels/requirements.ts';

/** One term of a field selector. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Returns the value of a field label of one object; the empty string if the object lacks the label. */
export type FieldLookup = (field: string) => string;

/** A parsed field selector: an object matches if every requirement holds. Immutable. */
export class FieldSelector {
  /** Matches every object. */
  static readonly everything = new FieldSelector([]);

  readonly requirements: readonly FieldRequirement[];

  constructor(requirements: readonly FieldRequirement[]) {
    this.requirements = requirements;
  }

  /** True if the selector restricts nothing. */
  get empty(): boolean {
    return this.requirements.length === 0;
  }

  matches(lookup: FieldLookup): boolean {
    for (const { field, operator, value } of this.requirements) {
      if ((lookup(field) === value) !== (operator === '=')) return false;
    }
    return true;
  }

  /** Returns the value that the field must have, if the selector requires one. */
  exactMatch(field: string): string | undefined {
    return this.requirements.find((r) => r.field === field && r.operator === '=')?.value;
  }

  /**
   * Returns this selector if every field is supported. Throws {@link SelectorError} with kube-apiserver's
   * message for the first unsupported one.
   */
  restrictedTo(supported: ReadonlySet<string>): FieldSelector {
    const other = this.requirements.find(({ field }) => !supported.has(field));
    if (other !== undefined) throw new SelectorError(unsupportedFieldLabel(other.field));
    return this;
  }

  /** Formats the selector as a query parameter that parses to this selector. */
  toString(): string {
    return this.requirements.map((r) => `${r.field}${r.operator}${escapeFieldValue(r.value)}`).join(',');
  }
}

/** kube-apiserver's message for an unsupported field label of custom resources and most kinds. */
export const unsupportedFieldLabel = (field: string): string => `field label not supported: ${field}`;

/** kube-apiserver's message for kinds that only have the two default field labels. */
export const unknownFieldSelector = (field: string): string =>
  `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;

/** Escapes `\`, `,` and `=` in a value of a field selector. */
export const escapeFieldValue = (value: string): string => value.replace(/[\\,=]/g, '\\$&');

/** Parses the `fieldSelector` query parameter. Throws {@link SelectorError} with kube-apiserver's message. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== '');
  if (terms.length === 0) return FieldSelector.everything;
  const requirements = sortByBytes(terms).map((term) => parseTerm(term, text));
  return new FieldSelector(requirements.filter(({ field, value }) => field !== '' || value !== ''));
}

// Commas separate terms unless they are escaped.
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const found = /!=|==?/.exec(term);
  if (found === null) {
    throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
  }
  return {
    field: term.slice(0, found.index),
    operator: found[0] === '!=' ? '!=' : '=',
    value: unescapeFieldValue(term.slice(found.index + found[0].length)),
  };
}

function unescapeFieldValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text;
  return text.replace(/\\?[^\\]|\\\\|\\$/gsu, (part) => {
    if (part.startsWith('\\')) {
      if (/^\\[\\,=]$/.test(part)) return part.slice(1);
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${part}`);
    }
    if (part === ',' || part === '=') {
      // Go prints the rune as a number here.
      throw new SelectorError(`invalid field selector: unescaped character in value: ${part.charCodeAt(0)}`);
    }
    return part;
  });
}
