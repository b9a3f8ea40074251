import {
  DividedVisit,
  type FieldError,
  fieldErrors,
  type FieldPath,
  isObject,
  type JsonObject,
  type Passes,
  pushAll,
  TypedText,
} from '@annex/machinery';
import {
  followSchemaPath,
  type SchemaNode,
  structuralNodeInPasses,
  structuralSchemaError,
} from '@annex/schema';

const { invalid, notSupported, required } = fieldErrors;

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

const rulesOf = (schema: JsonObject): JsonObject[] => {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? rules.filter(isObject) : [];
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Validates `x-kubernetes-validations` without compiling the expressions. */
export function* ruleFormErrors(schema: JsonObject, path: FieldPath): Passes<FieldError[]> {
  const rules = rulesOf(schema);
  const tree = rules.some(({ fieldPath }) => text(fieldPath) !== '') ? yield* treeOf(schema) : undefined;
  const errors: FieldError[] = [];
  const visits = new DividedVisit();
  for (const [i, rule] of rules.entries()) {
    if (visits.exceeds()) yield* visits.next();
    const at = path.child('x-kubernetes-validations').index(i);
    pushAll(errors, ruleAndMessage(rule, at));
    pushAll(errors, reasonAndFieldPath(tree, rule, at));
  }
  return errors;
}

/** The schema as the tree that field paths lead through; `undefined` if it is not structural: then they cannot be checked. */
function* treeOf(schema: JsonObject): Passes<SchemaNode | undefined> {
  if (structuralSchemaError(schema) !== undefined) return undefined;
  yield;
  return yield* structuralNodeInPasses(schema);
}

function ruleAndMessage(rule: JsonObject, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const expression = text(rule.rule).trim();
  const message = text(rule.message);
  if (expression === '') errors.push(required(at.child('rule'), 'rule is not specified'));
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(at.child('message'), message, 'must be non-empty if specified'));
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(at.child('message'), message, 'must not contain line breaks'));
  } else if (hasLineBreak(expression) && message.trim() === '') {
    errors.push(required(at.child('message'), 'message must be specified if rule contains line breaks'));
  }
  const messageExpression = text(rule.messageExpression);
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(required(at.child('messageExpression'), 'messageExpression must be non-empty if specified'));
  }
  return errors;
}

function reasonAndFieldPath(tree: SchemaNode | undefined, rule: JsonObject, at: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  const { reason } = rule;
  if (typeof reason === 'string' && !reasons.includes(reason)) {
    errors.push(notSupported(at.child('reason'), new TypedText(reason), reasons));
  }
  const fieldPath = text(rule.fieldPath);
  if (fieldPath === '') return errors;
  const refuse = (why: string): number => errors.push(invalid(at.child('fieldPath'), fieldPath, why));
  if (fieldPath.trim() === '') refuse('must be non-empty if specified');
  if (hasLineBreak(fieldPath)) refuse('must not contain line breaks');
  const found = tree && followSchemaPath(fieldPath, tree, true);
  if (typeof found === 'string') refuse('must be a valid path');
  return errors;
}
