import {
  nameIsDns1035Label,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  parseRequestUrl,
  UrlError,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import type { CallCost } from '../costs/cost.ts';
import { fail } from '../errors.ts';
import { costFactors } from '../costs/factors.ts';
import { scaleRange } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import type { Library } from '../functions/library.ts';
import { member, overload } from '../typing/declare.ts';
import { type CelType, listType, optionalType, structType, types } from '../typing/type.ts';
import { Optional } from '../values/optional.ts';
import { Instance, type Value } from '../values/value.ts';
import { costing, nominal, patternCost, traversal } from './call-costs.ts';
import { isBase64, isDate, isDateTime } from './text-formats.ts';

const { string } = types;
const formatType = structType('kubernetes.NamedFormat');

/** A named format that validates strings. */
class FormatValue extends Instance {
  readonly name: string;
  readonly errors: (text: string) => readonly string[];
  /** The length of an equivalent pattern, which determines the cost of validation. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, errors: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.errors = errors;
  }

  override get type(): CelType {
    return formatType;
  }

  equals(other: Value): boolean {
    if (!(other instanceof FormatValue)) return fail('no such overload');
    return other.name === this.name;
  }
}

const formatTest = (test: (text: string) => boolean, message: string) => (text: string) =>
  test(text) ? [] : [message];

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i.test(text);

/** The pattern lengths that kube-apiserver uses for the costs of its formats. */
const sizes = { label: 30, subdomain: 60, labelValue: 40, uri: 1103, uuid: 70, byte: 84, date: 71 };
/** The maximum pattern length, for estimates where the format is unknown. */
const longestPattern = 128;

const formats: ReadonlyMap<string, FormatValue> = new Map([
  ['dns1123Label', new FormatValue('DNS1123Label', sizes.label, (text) => nameIsDnsLabel(text, false))],
  [
    'dns1123Subdomain',
    new FormatValue('DNS1123Subdomain', sizes.subdomain, (text) => nameIsDnsSubdomain(text, false)),
  ],
  ['dns1035Label', new FormatValue('DNS1035Label', sizes.label, (text) => nameIsDns1035Label(text, false))],
  ['qualifiedName', new FormatValue('QualifiedName', sizes.subdomain, validateQualifiedName)],
  [
    'dns1123LabelPrefix',
    new FormatValue('DNS1123LabelPrefix', sizes.label, (text) => nameIsDnsLabel(text, true)),
  ],
  [
    'dns1123SubdomainPrefix',
    new FormatValue('DNS1123SubdomainPrefix', sizes.subdomain, (text) => nameIsDnsSubdomain(text, true)),
  ],
  [
    'dns1035LabelPrefix',
    new FormatValue('DNS1035LabelPrefix', sizes.label, (text) => nameIsDns1035Label(text, true)),
  ],
  ['labelValue', new FormatValue('LabelValue', sizes.labelValue, validateLabelValue)],
  ['uri', new FormatValue('URI', sizes.uri, uriErrors)],
  ['uuid', new FormatValue('uuid', sizes.uuid, formatTest(isUuid, 'does not match the UUID format'))],
  ['byte', new FormatValue('byte', sizes.byte, formatTest(isBase64, 'invalid base64'))],
  ['date', new FormatValue('date', sizes.date, formatTest(isDate, 'invalid date'))],
  ['datetime', new FormatValue('datetime', sizes.date, formatTest(isDateTime, 'invalid datetime'))],
]);

/** The cost of applying a pattern, whose length is known only at evaluation. */
const validation: CallCost = {
  estimate({ args, size }) {
    if (!args[0]) return undefined;
    return { cost: scaleRange(traversal(size(args[0])), longestPattern * costFactors.pattern) };
  },
  actual([format, text]) {
    return format instanceof FormatValue ? patternCost(sizeOf(text!), format.patternSize) : undefined;
  },
};

/** The named formats of strings. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library */
export const formatLibrary: Library = {
  name: 'kubernetes.format',
  functions: [
    costing(
      validation,
      'validate',
      member('format-validate', [formatType, string], optionalType(listType(string)), validate),
    ),
    costing(
      nominal,
      'format.named',
      overload('format-named', [string], optionalType(formatType), (name: string) => {
        const format = formats.get(name);
        return format ? Optional.of(format) : Optional.none;
      }),
    ),
    ...[...formats].map(([name, format]) => {
      const function_ = `format.${name}`;
      return { name: function_, overloads: [overload(function_, [], formatType, () => format)] };
    }),
  ],
};

function validate(format: FormatValue, text: string): Optional {
  const errors = format.errors(text);
  return errors.length === 0 ? Optional.none : Optional.of(errors);
}

function uriErrors(text: string): string[] {
  try {
    parseRequestUrl(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}
