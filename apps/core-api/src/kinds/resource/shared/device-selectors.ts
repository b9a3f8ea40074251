import { CompileError, compileSelector, maxSelectorCost } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  finish,
  finishInSlices,
  isObject,
  type JsonObject,
  type Passes,
  utf8Length,
} from '@annex/machinery';
import { pause } from '@annex/server';
import { type Check, each, fields, limited, objectsOf } from '../../shared/checks.ts';

const { forbidden, invalid, required, tooLong } = fieldErrors;

const mostSelectors = 32;

/** The length of an expression of a selector, in bytes. Source: kube-apiserver. */
export const maxSelectorBytes = 10 * 1024;

/** The result types of expressions: `any` is the type of attributes of devices. */
const resultTypes = ['bool', 'any'];

type Errors = (at: FieldPath) => FieldError[];

/** The errors of expressions that were compiled in slices, by the object that has the expression. */
const compiled = new WeakMap<object, Errors>();

const textOf = ({ expression }: JsonObject): string => (typeof expression === 'string' ? expression : '');

/** Compiles an expression that selects devices, in passes. */
function* errorsOf(expression: string): Passes<Errors> {
  if (expression.length > maxSelectorBytes || utf8Length(expression) > maxSelectorBytes)
    return (at) => [tooLong(at, '', maxSelectorBytes)];
  const problem =
    (why: string): Errors =>
    (at) => [invalid(at, expression, why)];
  try {
    const { type, maxCost } = yield* compileSelector(expression);
    if (!resultTypes.includes(String(type)))
      return problem(`must evaluate to bool or the unknown type, not ${type.fullName()}`);
    return maxCost > maxSelectorCost ? (at) => [forbidden(at, 'too complex, exceeds cost limit')] : () => [];
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return problem(`compilation failed: ${error.message}`);
  }
}

const cel: Check = (value, at) => {
  if (!isObject(value)) return [required(at)];
  const errors = compiled.get(value) ?? finish(errorsOf(textOf(value)));
  return errors(at.child('expression'));
};

/** Checks selectors of devices. */
export const deviceSelectors: Check = limited(mostSelectors, each(fields({ cel })));

/** The length of the expressions of one object that are compiled at once. */
const atOnceLength = 1024;

/** Compiles long expressions and those of many selectors in slices, before they are checked. */
export function compileInSlices(lists: readonly unknown[]): Promise<void> | undefined {
  const expressions = lists.flatMap(objectsOf).flatMap((selector) => objectsOf([selector.cel]));
  const length = expressions.reduce((sum, each) => sum + textOf(each).length, 0);
  return length > atOnceLength ? finishInSlices(compileAll(expressions), pause) : undefined;
}

function* compileAll(expressions: readonly JsonObject[]): Passes<void> {
  for (const expression of expressions) {
    compiled.set(expression, yield* errorsOf(textOf(expression)));
    yield;
  }
}
