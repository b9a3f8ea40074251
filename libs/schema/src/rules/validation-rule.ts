import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** A rule of `x-kubernetes-validations`. Strings that are not set are empty. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason?: string;
  readonly fieldPath: string;
  readonly optionalOldSelf?: boolean;
}

/** Returns the rules of a schema document. */
export function rulesOf(schema: JsonObject): ValidationRule[] {
  const rules = schema['x-kubernetes-validations'];
  return Array.isArray(rules) ? rules.filter(isObject).map(ruleOf) : [];
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function ruleOf(value: JsonObject): ValidationRule {
  const { reason, optionalOldSelf } = value;
  return {
    rule: text(value.rule),
    message: text(value.message),
    messageExpression: text(value.messageExpression),
    ...(typeof reason === 'string' ? { reason } : {}),
    fieldPath: text(value.fieldPath),
    ...(typeof optionalOldSelf === 'boolean' ? { optionalOldSelf } : {}),
  };
}

/** The name of a rule in errors: its message or its expression. */
export const ruleName = ({ rule, message }: ValidationRule): string => (message || rule).trim();

/** The message of a failed rule without a message expression. */
export const ruleMessage = (rule: ValidationRule): string =>
  rule.message === '' ? `failed rule: ${ruleName(rule)}` : ruleName(rule);
