import { FieldPath, fieldErrorsText } from '../field.ts';
import { validateQualifiedName } from '../names.ts';
import { finish, type Passes, sortInPasses } from '../passes.ts';
import { type LabelOperator, type LabelRequirement, LabelSelector } from './label-selector.ts';
import { SelectorLexer, type SelectorToken, type SelectorTokenKind } from './lexer.ts';
import {
  keyErrors,
  newRequirement,
  newRequirementInPasses,
  SelectorError,
  valuesAtOnce,
} from './requirements.ts';

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
