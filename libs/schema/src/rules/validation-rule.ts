import { isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** One of `x-kubernetes-validations`. Texts that are not set are empty. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason?: string;
  readonly fieldPath: string;
  readonly optionalOldSelf?: boolean;
}

/** The rules that stand at a schema document. */
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

/** What errors call a rule that has no message to show: its message or its text. */
export const ruleName = ({ rule, message }: ValidationRule): string => (message || rule).trim();

/** The message of a failed rule, when no expression made another one. */
export const ruleMessage = (rule: ValidationRule): string =>
  rule.message === '' ? `failed rule: ${ruleName(rule)}` : ruleName(rule);
