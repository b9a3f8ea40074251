import { type FieldError, FieldPath, fieldErrors, fieldErrorsText } from './field.ts';
import { SelectorLexer, type SelectorToken, type SelectorTokenKind } from './label-lexer.ts';
import { DividedVisit, finish, isManyParts, type Passes, sortInPasses } from './passes.ts';
import { validateLabelValue, validateQualifiedName } from './names.ts';
import { namesInPasses } from './wide-objects.ts';

/** The operators of a label requirement, as spelled in the query parameter. */
export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** The labels of an object as in `metadata.labels`. */
export type Labels = Readonly<Record<string, string>> | undefined;

/** LabelSelector of `meta/v1`. */
export interface LabelSelectorObject {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** A compiled label selector: an object matches if every requirement holds. Immutable. */
export class LabelSelector {
  /** Matches every object. */
  static readonly everything = new LabelSelector([], false);
  /** Matches no object. */
  static readonly nothing = new LabelSelector([], true);

  readonly requirements: readonly LabelRequirement[];
  private readonly never: boolean;

  private constructor(requirements: readonly LabelRequirement[], never: boolean) {
    this.requirements = requirements;
    this.never = never;
  }

  /** Creates a selector of these requirements, sorted by key. The requirements must be valid. */
  static of(requirements: readonly LabelRequirement[]): LabelSelector {
    if (requirements.length === 0) return LabelSelector.everything;
    return new LabelSelector(
      requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
      false,
    );
  }

  /** True if the selector restricts nothing. */
  get empty(): boolean {
    return !this.never && this.requirements.length === 0;
  }

  matches(labels: Labels): boolean {
    if (this.never) return false;
    for (const requirement of this.requirements) if (!requirementHolds(requirement, labels)) return false;
    return true;
  }

  /** Formats the selector as a query parameter that parses to this selector. */
  toString(): string {
    return this.requirements.map(requirementText).join(',');
  }
}

const integer = /^[+-]?\d+$/;

function requirementHolds(requirement: LabelRequirement, labels: Labels): boolean {
  const { key, operator, values } = requirement;
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt': {
      if (value === undefined || !integer.test(value)) return false;
      const limit = BigInt(values[0] ?? '0');
      return operator === 'gt' ? BigInt(value) > limit : BigInt(value) < limit;
    }
  }
}

function requirementText({ key, operator, values }: LabelRequirement): string {
  if (operator === 'exists') return key;
  if (operator === '!') return `!${key}`;
  const list = values.toSorted().join(',');
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${list})`;
  return `${key}${operator === 'gt' ? '>' : operator === 'lt' ? '<' : operator}${list}`;
}

/** A selector that cannot be parsed; the message is kube-apiserver's. */
export class SelectorError extends Error {}

/** The last long selector: each request parses its selector for its attributes, its authorization and its list. */
let last = { text: '', selector: LabelSelector.everything };
/** Characters of a selector that is parsed only once. */
const longText = 200;

/** Parses the `labelSelector` query parameter. Throws {@link SelectorError} with kube-apiserver's message. */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === last.text) return last.selector;
  const selector = finish(parseLabelSelectorInPasses(text));
  if (text.length > longText) last = { text, selector };
  return selector;
}

/** The same, in passes if there are many values. */
export function* parseLabelSelectorInPasses(text: string): Passes<LabelSelector> {
  return text === '' ? LabelSelector.everything : LabelSelector.of(yield* new Parser(text).selector());
}

/**
 * Compiles a LabelSelector object. `undefined` matches nothing, `{}` everything, as in apimachinery. Throws
 * {@link SelectorError}; call `validateLabelSelector` first to get errors with field paths.
 */
export function compileLabelSelector(selector: LabelSelectorObject | null | undefined): LabelSelector {
  if (selector === undefined || selector === null) return LabelSelector.nothing;
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) =>
    newRequirement(key, '=', [value]),
  );
  return LabelSelector.of([...equal, ...(selector.matchExpressions ?? []).map(requirementOf)]);
}

/** The same, in passes if there are many labels. */
export function* compileLabelSelectorInPasses(
  selector: LabelSelectorObject | null | undefined,
): Passes<LabelSelector> {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const names = yield* namesInPasses(matchLabels);
  if (!isManyParts(names.length + matchExpressions.length)) return compileLabelSelector(selector);
  const visit = new DividedVisit();
  const requirements: LabelRequirement[] = [];
  // The list of all requirements is sorted fast if it is in order before.
  yield* visit.each(yield* sortInPasses(names, (a, b) => (a < b ? -1 : 1)), (name) => {
    // permitted: no-inherited-keys, these are its own names
    requirements.push(newRequirement(name, '=', [matchLabels[name] ?? '']));
  });
  yield* visit.each(matchExpressions, (expression) => requirements.push(requirementOf(expression)));
  return LabelSelector.of(requirements);
}

function requirementOf({
  key,
  operator,
  values,
}: NonNullable<LabelSelectorObject['matchExpressions']>[number]): LabelRequirement {
  const known = objectOperators.get(operator);
  if (known === undefined) {
    throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`);
  }
  return newRequirement(key, known, values ?? []);
}

const objectOperators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** Creates a requirement of one value without passes. */
function newRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const isValid =
    values.length === 1 && equalities.has(operator) && validateLabelValue(values[0]!).length === 0;
  if (isValid && validateQualifiedName(key).length === 0) return { key, operator, values };
  return finish(newRequirementInPasses(key, operator, values));
}

/** The operators that accept any one value. */
const equalities: ReadonlySet<LabelOperator> = new Set(['=', '==', '!=', 'in', 'notin']);

/** How many values of a requirement one pass reads. */
const valuesAtOnce = 1000;

function* newRequirementInPasses(
  key: string,
  operator: LabelOperator,
  values: readonly string[],
): Passes<LabelRequirement> {
  const errors = [...keyErrors(key, FieldPath.of('key')), ...arityErrors(operator, values)];
  for (const [i, value] of values.entries()) {
    if (i % valuesAtOnce === valuesAtOnce - 1) yield;
    const found = validateLabelValue(value);
    if (found.length === 0) continue;
    errors.push(fieldErrors.invalid(FieldPath.of('values').index(i).key(key), value, found.join('; ')));
  }
  if (errors.length > 0) throw new SelectorError(fieldErrorsText(errors));
  return { key, operator, values };
}

function keyErrors(key: string, path: FieldPath): FieldError[] {
  const found = validateQualifiedName(key);
  return found.length === 0 ? [] : [fieldErrors.invalid(path, key, found.join('; '))];
}

function arityErrors(operator: LabelOperator, values: readonly string[]): FieldError[] {
  const path = FieldPath.of('values');
  const invalidValues = (why: string) => [fieldErrors.invalid(path, values, why)];
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : invalidValues("for 'in', 'notin' operators, values set can't be empty");
    case 'exists':
    case '!':
      return values.length === 0
        ? []
        : invalidValues('values set must be empty for exists and does not exist');
    case 'gt':
    case 'lt':
      return values
        .map((value, i) => ({ value, at: path.index(i) }))
        .filter(({ value }) => !isInt64(value))
        .map(({ value, at }) =>
          fieldErrors.invalid(at, value, "for 'Gt', 'Lt' operators, the value must be an integer"),
        );
    default:
      return [];
  }
}

const isInt64 = (text: string) => integer.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);

const operators = new Map<SelectorTokenKind, LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

// A recursive descent parser with one token of lookahead. The messages are those of apimachinery's
// labels.Parse.
class Parser {
  private readonly tokens: SelectorLexer;
  private next: SelectorToken;
  /** The keys: a text that was the name of a property is found in labels without computing its hash again. */
  private readonly names = Object.create(null) as Record<string, true>;

  constructor(text: string) {
    this.tokens = new SelectorLexer(text);
    this.next = this.tokens.next();
  }

  *selector(): Passes<LabelRequirement[]> {
    const found: LabelRequirement[] = [];
    for (;;) {
      const { kind, text } = this.peek();
      if (kind === 'end') return found;
      if (kind !== 'identifier' && kind !== '!') {
        throw new SelectorError(`found '${text}', expected: !, identifier, or 'end of string'`);
      }
      const begun = this.requirement();
      found.push('next' in begun ? yield* begun : begun);
      if (found.length % valuesAtOnce === 0) yield;
      const next = this.take();
      if (next.kind === 'end') return found;
      if (next.kind !== ',') {
        throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      }
      const after = this.peek();
      if (after.kind !== 'identifier' && after.kind !== '!') {
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  /** Parses a requirement; one with a list of values is parsed in passes. */
  private requirement(): LabelRequirement | Passes<LabelRequirement> {
    try {
      return this.parseRequirement();
    } catch (error) {
      throw requirementError(error);
    }
  }

  private parseRequirement(): LabelRequirement | Passes<LabelRequirement> {
    let token = this.take();
    const absent = token.kind === '!';
    if (absent) token = this.take();
    if (token.kind !== 'identifier') {
      throw new SelectorError(`found '${token.text}', expected: identifier`);
    }
    const errors =
      validateQualifiedName(token.text).length === 0 ? [] : keyErrors(token.text, FieldPath.root);
    if (errors.length > 0) throw new SelectorError(fieldErrorsText(errors));
    const key = token.text;
    // permitted: no-inherited-keys, the object has no prototype
    this.names[key] = true;
    const next = this.peek();
    if (absent) return { key, operator: '!', values: [] };
    if (next.kind === 'end' || next.kind === ',') return { key, operator: 'exists', values: [] };
    const operator = this.operator();
    if (operator === 'in' || operator === 'notin') return this.listRequirement(key, operator);
    return newRequirement(key, operator, [this.exactValue()]);
  }

  private *listRequirement(key: string, operator: LabelOperator): Passes<LabelRequirement> {
    try {
      const values = yield* this.valueList();
      yield;
      const sorted = yield* sortInPasses([...values], compareTexts);
      return yield* newRequirementInPasses(key, operator, sorted);
    } catch (error) {
      throw requirementError(error);
    }
  }

  private operator(): LabelOperator {
    const token = this.take(false);
    const operator = operators.get(token.kind);
    if (operator === undefined) {
      throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    return operator;
  }

  private exactValue(): string {
    const ahead = this.peek();
    if (ahead.kind === 'end' || ahead.kind === ',') return '';
    const token = this.take();
    if (token.kind === 'identifier') return token.text;
    throw new SelectorError(`found '${token.text}', expected: identifier`);
  }

  private *valueList(): Passes<ReadonlySet<string>> {
    const open = this.take();
    if (open.kind !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.peek();
    if (first.kind === ')') {
      this.take();
      return new Set(['']);
    }
    if (first.kind !== 'identifier' && first.kind !== ',') {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = yield* this.identifiers();
    if (this.take().kind !== ')') throw new SelectorError(`found '${first.text}', expected: ')'`);
    return values;
  }

  private *identifiers(): Passes<ReadonlySet<string>> {
    const values = new Set<string>();
    for (let tokens = 1; ; tokens++) {
      if (tokens % valuesAtOnce === 0) yield;
      const token = this.take();
      const ahead = this.peek();
      if (token.kind === 'identifier') {
        values.add(token.text);
        if (ahead.kind === ')') return values;
        if (ahead.kind !== ',') throw new SelectorError(`found '${ahead.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        // `(,x`, `x,,y` and `x,)` contain the empty value.
        if (values.size === 0 || ahead.kind === ')' || ahead.kind === ',') values.add('');
        if (ahead.kind === ')') return values;
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  private peek(): SelectorToken {
    return asValue(this.next);
  }

  // Keywords are ordinary identifiers except at the position of an operator.
  private take(keywordsAreValues = true): SelectorToken {
    const token = this.next;
    this.next = this.tokens.next();
    return keywordsAreValues ? asValue(token) : token;
  }
}

const requirementError = (error: unknown): unknown =>
  error instanceof SelectorError ? new SelectorError(`unable to parse requirement: ${error.message}`) : error;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const asValue = (token: SelectorToken): SelectorToken =>
  token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token;
