import type { JsonObject } from '@annex/machinery';
import { structuralNode } from '../structural/structural-node.ts';
import { compileRuleTree, type RuleTree } from './rule-tree.ts';

/** Returns the errors of the expressions in `x-kubernetes-validations` of a structural schema, one line each, with paths. */
export function ruleErrors(schema: JsonObject, path: string): string[] {
  const tree = compileRuleTree(structuralNode(schema), true);
  return tree === undefined ? [] : [...errorsIn(tree, path)];
}

function* errorsIn(tree: RuleTree, path: string): Generator<string> {
  for (const [i, { error, messageError }] of (tree.rules ?? []).entries()) {
    const at = `${path}.x-kubernetes-validations[${i}]`;
    if (error !== undefined) yield `${at}.rule: ${error}`;
    if (messageError !== undefined) yield `${at}.messageExpression: ${messageError}`;
  }
  for (const [name, property] of tree.properties) yield* errorsIn(property, `${path}.properties[${name}]`);
  if (tree.items) yield* errorsIn(tree.items, `${path}.items`);
  if (tree.additional) yield* errorsIn(tree.additional, `${path}.additionalProperties`);
}
