import { type DeclaredType, declaredType, escapeName, type View, viewOf } from '@annex/cel';
import type { SchemaNode } from '../node.ts';
import type { CompiledRule } from './compiled-rule.ts';
import { LazyRules } from './lazy-rules.ts';

/** The rules of a schema by node; a child exists only if there are rules below it. */
export interface RuleTree {
  readonly node: SchemaNode;
  /** The rules, compiled on first access; undefined if expressions cannot use the type of the values. */
  readonly rules: readonly CompiledRule[] | undefined;
  /** Compiles some of the rules; returns true when all are compiled. */
  prepare(): boolean;
  /** Converts a value of the node for expressions. */
  readonly view: View;
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly additional: RuleTree | undefined;
  readonly items: RuleTree | undefined;
}

/** Returns all rules of a schema; undefined if it has none. A resource has a type and a name even if its schema omits them. */
export function compileRuleTree(node: SchemaNode, isResource: boolean): RuleTree | undefined {
  return hasRules(node) ? compileNode(node, isResource, declaredType(node, 'object', isResource)) : undefined;
}

/** Returns true if the node or a descendant has rules. */
function hasRules(node: SchemaNode): boolean {
  if (node.rules !== undefined) return true;
  if (node.items !== undefined && hasRules(node.items)) return true;
  const { additionalProperties } = node;
  if (additionalProperties !== undefined && additionalProperties !== true && hasRules(additionalProperties)) {
    return true;
  }
  return [...(node.properties?.values() ?? [])].some(hasRules);
}

function compileNode(node: SchemaNode, isResource: boolean, type: DeclaredType | undefined): RuleTree {
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of node.properties ?? []) {
    const ofProperty = hasRules(property) ? propertyType(type, name, property) : undefined;
    if (ofProperty)
      properties.set(name, compileNode(property, property.embeddedResource === true, ofProperty));
  }
  const { additionalProperties } = node;
  const additional = additionalProperties === true ? undefined : additionalProperties;
  const lazy = new LazyRules(node, type);
  return {
    node,
    get rules() {
      return lazy.all();
    },
    prepare: () => lazy.prepare(),
    view: viewOf(node, isResource),
    properties,
    additional: compileElement(additional, type),
    items: compileElement(node.items, type),
  };
}

function compileElement(node: SchemaNode | undefined, type: DeclaredType | undefined): RuleTree | undefined {
  if (node === undefined || !hasRules(node)) return undefined;
  return compileNode(node, node.embeddedResource === true, type?.element);
}

/** Returns the type of a property; undefined if it is unknown to expressions, so that its rules are not evaluated. */
export function propertyType(
  type: DeclaredType | undefined,
  name: string,
  property: SchemaNode,
): DeclaredType | undefined {
  const identifier = escapeName(name);
  if (identifier === undefined) return declaredType(property, 'object', property.embeddedResource);
  return type?.fields?.get(identifier);
}
