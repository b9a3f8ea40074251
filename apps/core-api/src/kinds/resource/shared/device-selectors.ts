import { setImmediate } from 'node:timers/promises';
import { CompileError, compileSelector, maxSelectorCost } from '@annex/cel';
import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  utf8Length,
} from '@annex/machinery';
import { type Check, each, fields, limited, objectsOf } from '../../shared/checks.ts';

const { forbidden, invalid, required, tooLong } = fieldErrors;

const mostSelectors = 32;

/** The length of an expression of a selector, in bytes. Source: kube-apiserver. */
export const maxSelectorBytes = 10 * 1024;

/** The result types of expressions: `any` is the type of attributes of devices. */
const resultTypes = ['bool', 'any'];

type Errors = (at: FieldPath) => FieldError[];

/** The errors of expressions that were compiled in turns, by the object that has the expression. */
const compiled = new WeakMap<object, Errors>();

const textOf = ({ expression }: JsonObject): string => (typeof expression === 'string' ? expression : '');

/** Compiles an expression that selects devices. */
function errorsOf(expression: string): Errors {
  if (expression.length > maxSelectorBytes || utf8Length(expression) > maxSelectorBytes)
    return (at) => [tooLong(at, '', maxSelectorBytes)];
  const problem =
    (why: string): Errors =>
    (at) => [invalid(at, expression, why)];
  try {
    const { type, maxCost } = compileSelector(expression);
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
  const errors = compiled.get(value) ?? errorsOf(textOf(value));
  return errors(at.child('expression'));
};

/** Checks selectors of devices. */
export const deviceSelectors: Check = limited(mostSelectors, each(fields({ cel })));

/** Compiles the expressions of many selectors in turns of the event loop, before they are checked. */
export function compileInTurns(lists: readonly unknown[]): Promise<void> | undefined {
  const expressions = lists.flatMap(objectsOf).flatMap((selector) => objectsOf([selector.cel]));
  const length = expressions.reduce((sum, each) => sum + textOf(each).length, 0);
  return length > maxSelectorBytes ? inTurns(expressions) : undefined;
}

async function inTurns(expressions: readonly JsonObject[]): Promise<void> {
  let length = 0;
  for (const expression of expressions) {
    length += textOf(expression).length;
    if (length > maxSelectorBytes) {
      length = textOf(expression).length;
      await setImmediate();
    }
    compiled.set(expression, errorsOf(textOf(expression)));
  }
}
