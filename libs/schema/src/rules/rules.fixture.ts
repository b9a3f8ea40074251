import { fieldErrorText, type JsonObject, type JsonValue } from '@annex/machinery';
import { structuralNode } from '../structural/structural-node.ts';
import { evaluateRules } from './rule-evaluation.ts';
import { compileRuleTree } from './rule-tree.ts';

/** Adds rules to a schema, as expressions or as objects with more members. */
export function withRules(schema: JsonObject, ...rules: (string | JsonObject)[]): JsonObject {
  const list = rules.map((rule) => (typeof rule === 'string' ? { rule } : rule));
  return { ...schema, 'x-kubernetes-validations': list };
}

export const objectOf = (properties: JsonObject, ...rules: (string | JsonObject)[]): JsonObject =>
  withRules({ type: 'object', properties }, ...rules);

export const list = (items: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'array',
  items,
  ...more,
});

export const mapOf = (additionalProperties: JsonObject): JsonObject => ({
  type: 'object',
  additionalProperties,
});

export const mapList = (key: string, properties: JsonObject): JsonObject =>
  list(
    { type: 'object', properties, required: [key] },
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] },
  );

export const integer: JsonObject = { type: 'integer' };
export const string: JsonObject = { type: 'string' };

/** Evaluates the rules of a schema for the field `x`; returns the errors, and the warnings in brackets. */
export function evaluateField(schema: JsonObject, value: JsonValue, old?: JsonValue): string[] {
  const tree = compileRuleTree(structuralNode({ type: 'object', properties: { x: schema } }), true);
  if (tree === undefined) throw new Error('a schema without rules');
  const found = evaluateRules(tree, { x: value }, old === undefined ? undefined : { x: old });
  while (!found.proceed());
  return [...found.errors.map(fieldErrorText), ...found.warnings.map((warning) => `[${warning}]`)];
}

/** Returns the compile error of the first rule of a schema. */
export function compileErrorOf(schema: JsonObject): string | undefined {
  const tree = compileRuleTree(structuralNode(schema), false);
  return tree?.rules?.[0]?.error ?? tree?.rules?.[0]?.messageError;
}
