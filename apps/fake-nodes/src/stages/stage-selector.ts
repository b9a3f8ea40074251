import type { JsonValue, KubeObject } from '@annex/machinery';
import type { FieldReader } from '../field-reader.ts';
import { compileValuePath, type ValuePath } from './value-path.ts';

type Match = (object: KubeObject) => boolean;

const operators = new Map<string, (found: readonly string[], values: ReadonlySet<string>) => boolean>([
  ['In', (found, values) => found.some((one) => values.has(one))],
  ['NotIn', (found, values) => !found.some((one) => values.has(one))],
  ['Exists', (found) => found.length > 0],
  ['DoesNotExist', (found) => found.length === 0],
]);

/** Reads a selector. Without one, all objects match: a stage is for something. */
export function readSelector(selector: FieldReader | undefined): Match {
  if (selector === undefined) return () => true;
  const labels = selector.textMap('matchLabels');
  const annotations = selector.textMap('matchAnnotations');
  const expressions = selector.objects('matchExpressions').map(readExpression);
  selector.end();
  return (object) =>
    contains(object.metadata.labels, labels) &&
    contains(object.metadata.annotations, annotations) &&
    expressions.every((matches) => matches(object));
}

const contains = (texts: Record<string, string> | undefined, wanted: ReadonlyMap<string, string>): boolean =>
  wanted.size === 0 ||
  wanted
    .entries()
    .every(([key, value]) => texts !== undefined && Object.hasOwn(texts, key) && texts[key] === value);

function readExpression(expression: FieldReader): Match {
  const nested = expression.object('jq');
  const { fields, path } =
    nested === undefined
      ? { fields: expression, path: readPath(expression, 'key') }
      : { fields: nested, path: readPath(nested, 'expression') };
  const operator = fields.text('operator') ?? '';
  const values = new Set(fields.texts('values'));
  const test = operators.get(operator);
  if (test === undefined) fields.report('operator', `must be one of ${[...operators.keys()].join(', ')}`);
  if (operator.endsWith('In') && values.size === 0)
    fields.report('values', `is required by the operator ${operator}`);
  nested?.end();
  expression.end();
  if (path === undefined || test === undefined) return () => false;
  return (object) => test(path(object as JsonValue).map(textOf), values);
}

/** Reads the path in a required field. */
export function readPath(fields: FieldReader, name: string): ValuePath | undefined {
  const text = fields.text(name);
  if (text === undefined) {
    fields.report(name, 'is required');
    return undefined;
  }
  try {
    return compileValuePath(text);
  } catch (error) {
    fields.report(name, (error as Error).message);
    return undefined;
  }
}

const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
